"""Readers who see the parts of documents: up and down their structure, or sections around a result."""
