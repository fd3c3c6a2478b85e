"""berrypick: evaluation of retrieval systems that point into documents.

import berrypick as bp
results = bp.evaluate("truth.qrels", ["a.run", "b.run"], "EPRUM PRUM", navigation="clicks.tsv")
results.mean()
bp.eprum([[.4, .4], [.6, .4], [1, 0]])
"""

import lazy_loader

#: The names are those of __init__.pyi; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
