"""Claims of FEVER, a row for each line of evidence: the flat shape of Hugging Face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from berrypick.data.truth import Truth
from berrypick.files.files import head
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.benchmarks._evidence_rows import Place, identified, place, sets_of_places, whole_number
from berrypick.formats.benchmarks.fever import LABELS, NO_INFO, with_verdicts
from berrypick.formats.spans.span_truth import line_names
from berrypick.rows.json_lines import Rows, records
from berrypick.rows.table_files import header_of, table_rows

_PAGE, _LINE, _SET = "evidence_wiki_url", "evidence_sentence_id", ("evidence_annotation_id", "evidence_id")
_NEEDED = frozenset({"id", "claim", "label", _PAGE, _LINE, *_SET})
#: What the converter of Hugging Face makes of nothing, and of the number 0.
_NONE = (-1, "-1", None)


@dataclass
class _Claim:
    """What the rows of one claim say."""

    line: int
    text: str
    label: str
    claim: Any
    #: Places by annotation and evidence.
    sets: dict[tuple[str, str], list[Place]] = field(default_factory=dict)


class FeverRows(TruthRecords):
    """Claims of FEVER in the flat shape of Hugging Face: a row for each claim and line of evidence.

    JSON Lines, CSV, or Parquet where the format is named, with ``id``, ``label``, ``claim``,
    ``evidence_annotation_id``, ``evidence_id``, ``evidence_wiki_url`` (the page) and ``evidence_sentence_id``. It is
    the same truth as in fever: rows of one claim with the same annotation and the same evidence are one sufficient set.
    Sentence -1 of a page is sentence 0, which the converter writes so; these rows are counted. A claim with the label
    NOT ENOUGH INFO is a topic without an answer; for a claim without a label nothing is judged.

    Sample::

        id,label,claim,evidence_annotation_id,evidence_id,evidence_wiki_url,evidence_sentence_id
        7,REFUTES,Brambles fruit in June.,1,3,Bramble,4
        8,NOT ENOUGH INFO,Hedges sing.,2,-1,,-1
    """

    format_name: ClassVar[str] = "fever-rows"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ("evidence_annotation_id",)
    shape: ClassVar[str] = '{"id": 7, "label": "SUPPORTS", "claim": "...", "evidence_annotation_id": 1, ' \
                           '"evidence_id": 3, "evidence_wiki_url": "Page", "evidence_sentence_id": 4}'  # fmt: skip
    json_names: ClassVar[tuple[str, ...]] = ("id", "claim", "label", *_SET, _PAGE, _LINE)

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        first = lines[0].lstrip("\ufeff \t")
        return {*line_names(first)} >= _NEEDED if first.startswith("{") else header_of(lines) >= _NEEDED

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        return with_verdicts(super().read(path, problems))

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        first = next(iter(head(path)), "").lstrip("\ufeff \t")
        lines = first.startswith("{")
        rows = records(path, problems) if lines else table_rows(path, problems, tuple(sorted(_NEEDED)))
        claims: dict[str, _Claim] = {}
        for number, text, value in rows:
            if identified(value, "id", number, text, problems):
                _add(claims, value, number, text, problems)
        for name, one in claims.items():
            about = {"topic": name, "question": one.claim, **({"verdict": one.label} if one.label else {})}
            if one.label == NO_INFO:
                yield one.line, one.text, {**about, "answer": None}
                continue
            found = sets_of_places(one.sets.values(), problems)
            if not found:
                problems.count("claims without evidence, not judged")
                yield one.line, one.text, {**about, "judged": False}
            for row in found:
                yield one.line, one.text, {**about, **row}


def _add(claims: dict[str, _Claim], value: Mapping[str, Any], number: int, text: str, problems: Problems) -> None:
    """Put a row to its claim; an id with two claims or labels is an error."""
    label = str(value.get("label") or "").upper()
    if label not in (*LABELS, ""):
        problems.report(f"label must be one of {', '.join(LABELS)}, not {label!r:.40}", number, text)
        return
    known = claims.setdefault(str(value["id"]), _Claim(number, text, label, value.get("claim")))
    if (known.label, known.claim) != (label, value.get("claim")):
        what = f"claim {value['id']} has another text or label in line {known.line}"
        problems.report(what, number, text, "rows with one id are evidence of one claim")
        return
    page, line = value.get(_PAGE), value.get(_LINE)
    if page in (None, "") and line in _NONE:
        if label not in ("", NO_INFO):
            problems.count("rows without a page, skipped")
        return
    at = 0 if line in _NONE else whole_number(line)
    if not isinstance(page, str) or not page or at is None:
        remedy = "evidence has the name of a page and the number of a sentence; -1 of a page is sentence 0"
        problems.report("evidence has no place", number, text, remedy)
        return
    if label == NO_INFO:
        problems.count("rows of evidence for claims with the label NOT ENOUGH INFO, skipped")
        return
    if line in _NONE:
        problems.count("sentences -1 of a page, read as sentence 0")
    known.sets.setdefault((str(value.get(_SET[0])), str(value.get(_SET[1]))), []).append(place(page, at))
