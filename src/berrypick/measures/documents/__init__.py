"""Measures of whole documents, as trec_eval and ir_measures have them."""
