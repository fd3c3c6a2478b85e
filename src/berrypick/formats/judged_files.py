"""Which files that look like runs are truths: those with a field that says whether a row is relevant."""

from __future__ import annotations

import os

from berrypick import formats
from berrypick.formats.spans.span_table import first_names
from berrypick.rows.chosen_fields import ChosenFields
from berrypick.rows.fields import ours_of, plain_name
from berrypick.rows.relevance_fields import NAMES, OPEN


def detected(path: str, fields: str | None) -> tuple[type[formats.Format], list[type[formats.Format]]]:
    """The format of a file by its content, and others that it may be in.

    A file that may be a truth or a run is a truth, and nothing else, if it has a field of relevance and nothing that
    orders results, or a field that ``fields`` gives a role.
    """
    if not os.path.isdir(path) and (judged := _judged(path, fields)) is not None:
        return judged, []
    found = formats.sniff(path)
    return found, [other for other in formats.sniff_all(path) if other is not found]


def _judged(path: str, fields: str | None) -> type[formats.Format] | None:
    """The format of truths that a file of rows must be in; None if its fields do not say so."""
    names = first_names(path)
    plain = {plain_name(name) for name in names}
    if fields:
        chosen = ChosenFields.of(fields)
        asked = {plain_name(name) for name in (*chosen.names, *chosen.ignored)} & plain
        return formats.sniff_with_fields(path, fields) if asked else None
    ordered = {ours_of(name, "run") for name in names} & {"rank", "score", "distance", "results"}
    if ordered or plain.isdisjoint((*NAMES, *OPEN)):
        return None
    twins = [
        one for one in formats.sniff_all(path) if one.name() in ("span-truth", "span-table-truth", "span-list-truth")
    ]
    found = formats.sniff(path) if twins else None
    return twins[0] if found is not None and formats.truth_twin(found) is twins[0] else None
