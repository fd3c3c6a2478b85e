"""What to cite for results: the papers of their measures and user models, and the software."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike

from berrypick import measures, users
from berrypick.analysis.comparison.saved import read_results
from berrypick.data import references
from berrypick.data import spec as specs
from berrypick.data.errors import UsageError
from berrypick.data.results import Results
from berrypick.data.signature import Signature

#: Keys of the software itself, and of the library that computes some measures.
SOFTWARE, THEIRS = "berrypick", "macavaney2022irmeasures"


def bibtex(results: Results | str | PathLike[str]) -> str:
    """Return the references of results as BibTeX: berrypick, and the papers of each measure and user model.

    Parameters
    ----------
    results : Results or path
        Results of an evaluation, or a file of them.

    Returns
    -------
    str
        BibTeX entries; the line above each names what it is cited for. A measure or user model without a reference
        is named in a comment at the end.

    Examples
    --------
    >>> import berrypick as bp
    >>> text = bp.bibtex(bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR"))
    >>> [line for line in text.splitlines() if line.startswith(("%", "@"))]
    ['% software', '@software{berrypick,', '% RR', '@article{kantor2000confusion,']
    """
    found = results if isinstance(results, Results) else read_results(results)
    signatures = [row.signature for row in found.mean_rows]
    cited: dict[str, dict[str, None]] = {SOFTWARE: {"software": None}}
    without: dict[str, None] = {}
    for signature in signatures:
        for what, keys in _used(signature):
            for key in keys:
                cited.setdefault(key, {})[what] = None
            if not keys:
                without[what] = None
    versions = dict.fromkeys(version for signature in signatures if (version := signature.get("v")))
    parts = [f"% {', '.join(uses)}\n{_entry(key, versions)}" for key, uses in cited.items()]
    parts += [f"% no reference known: {', '.join(without)}\n"] if without else []
    return "\n".join(parts)


def _used(signature: Signature) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Go through the measure and the user models of a signature, with the keys of their references."""
    name = _name(signature.measure)
    measure = measures.registry.find(name)
    if signature.get("by") == "ir_measures":
        yield name, (THEIRS,)
    else:
        yield name, () if measure is None else tuple(measure.references)
    text = signature.get("user")
    if text and measure is not None and (measure.depends_on is None or "user" in measure.depends_on):
        for inner in (text, *re.findall(r"'([^']*)'", text)):  # a model may have another one as a parameter
            model = users.registry.find(_name(inner))
            if model is not None:
                yield f"user {model.name()}", tuple(model.references)
            elif inner is text:
                yield f"user {text}", ()


def _name(text: str) -> str:
    try:
        return specs.parse(text).name
    except UsageError:
        return text


def _entry(key: str, versions: Iterable[str]) -> str:
    entry = references.bibtex(key)
    if key != SOFTWARE or not versions:
        return entry
    return re.sub(r"\n\}\n$", f",\n  version = {{{', '.join(versions)}}}\n}}\n", entry)
