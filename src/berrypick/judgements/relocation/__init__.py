"""Where spans of documents are in a new version: of one document, and across documents."""
