"""Readers who see the parts of documents: up and down their structure, sections around a result, shares of a target,
places of one document in turn."""
