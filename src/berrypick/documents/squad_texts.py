"""The texts that a file of SQuAD holds beside its questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from berrypick.files.json_files import JsonSource, load, objects, starts_object
from berrypick.files.problems import Problems


def is_squad(lines: list[str]) -> bool:
    """Return whether a file begins as those of SQuAD do."""
    return starts_object(lines, "data", "paragraphs")


def squad_texts(path: str) -> dict[str, str]:
    """Return the paragraphs of a file by document."""
    problems, found = Problems(path), dict[str, str]()
    value, source = load(path, problems)
    for document, paragraph in squad_paragraphs(value, source, problems):
        text = paragraph["context"]
        if found.setdefault(document, text) != text:
            problems.report(f"document {document} has two texts", source.line)
    return found


def squad_paragraphs(value: Any, source: JsonSource, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Go through the paragraphs, each with the name of its document."""
    if value is None:
        return
    for article in objects(value.get("data") if isinstance(value, dict) else None, "data", source, problems):
        title = article.get("title")
        for number, paragraph in enumerate(objects(article.get("paragraphs"), "paragraphs", source, problems)):
            document = paragraph.get("document_id", article.get("document_id"))
            if document is None and isinstance(title, str):
                document = f"{title}/{number}"
            if not isinstance(document, (str, int)) or isinstance(document, bool):
                problems.report("a paragraph has neither a document_id nor a title", source.line)
            elif not isinstance(paragraph.get("context"), str):
                problems.report(f"the paragraph {document} has no context", source.line)
            else:
                yield str(document), paragraph
