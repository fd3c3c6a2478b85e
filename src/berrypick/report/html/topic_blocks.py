"""The data of a topic on the report page, compressed once: only its documents, with the numbers of their blocks, are
not known before it is known what fits. They are a part of the block that is compressed by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.report.html.json_numbers import members, to_json
from berrypick.report.html.report_page import deflate, pack_deflated, packed_size

#: Documents and pages.
Pages = list[tuple[str, int]]


@dataclass(frozen=True, eq=False)
class TopicDocuments:
    """The documents of a topic as JSON, but for the numbers of their blocks, which come between heads and tails."""

    names: Sequence[str]
    heads: Sequence[str]
    tails: Sequence[str]

    def to_json(self, blocks: Mapping[str, int], pictures: Mapping[str, Mapping[int, int]]) -> str:
        """With the numbers of blocks of documents, and those of the pictures of their pages."""
        shown = {name: f',"pictures":{to_json(numbers)}' for name, numbers in pictures.items()}
        parts = zip(self.names, self.heads, self.tails, strict=True)
        found = [f"{head}{blocks.get(name, 'null')}{tail}{shown.get(name, '')}}}" for name, head, tail in parts]
        return f"[{','.join(found)}]"


@dataclass(frozen=True, eq=False)
class TopicPages:
    """Where the places of a topic lie: pages with something relevant, others, and those whose sizes are known."""

    relevant: Pages
    retrieved: Pages
    sized: Pages
    shares: bool  # boxes are shares of the page

    @classmethod
    def of(cls, topic: Mapping[str, Any]) -> TopicPages:
        names, boxes = topic["documents"].names, topic["boxes"]
        results = (row for run in topic["runs"] for row in run["results"])
        return cls(
            [(names[row[0]], row[1]) for row in boxes["relevant"]],
            list(dict.fromkeys((names[row[1]], row[-1][0]) for row in results)),
            [(names[number], page) for number, pages in boxes["sizes"].items() for page in pages],
            boxes["shares"],
        )


@dataclass(frozen=True, eq=False)
class TopicBlock:
    """A topic: its data before and after its documents, and what is asked of it."""

    documents: TopicDocuments
    before: str
    after: bytes
    deflated: bytes  # what comes after the documents
    size: int  # of the block without numbers
    holds: frozenset[int]  # the documents with targets
    cut: int  # lists that are longer than what is shown
    pages: TopicPages | None

    @classmethod
    def of(cls, topic: Mapping[str, Any], cut: int) -> TopicBlock:
        names = list(topic)
        at = names.index("documents")
        documents: TopicDocuments = topic["documents"]
        before = f'{{{members({name: topic[name] for name in names[:at]})},"documents":'
        rest = f",{members({name: topic[name] for name in names[at + 1 :]})}}}".encode("ascii")
        deflated = deflate(rest, last=True)
        return cls(
            documents,
            before,
            rest,
            deflated,
            packed_size([deflate((before + documents.to_json({}, {})).encode("ascii"), last=False), deflated]),
            frozenset(target["doc"] for target in topic["targets"]),
            cut,
            None if topic["boxes"] is None else TopicPages.of(topic),
        )

    def packed(self, blocks: Mapping[str, int], pictures: Mapping[str, Mapping[int, int]]) -> str:
        """The block, with the numbers of the blocks of its documents and of the pictures of their pages."""
        first = (self.before + self.documents.to_json(blocks, pictures)).encode("ascii")
        return pack_deflated([first, self.after], [deflate(first, last=False), self.deflated])


def document_order(topics: Sequence[TopicBlock]) -> list[str]:
    """Documents with something relevant before others, then in the order of topics."""
    first: dict[str, None] = {}
    later: dict[str, None] = {}
    for topic in topics:
        for number, name in enumerate(topic.documents.names):
            (first if number in topic.holds else later).setdefault(name)
    return list({**first, **later})


def placed_pages(topics: Sequence[TopicPages]) -> set[tuple[str, int]]:
    """Documents and pages whose boxes are shares of the page, or in units in which its size is known."""
    found = set()
    for topic in topics:
        if topic.shares:
            found.update(page_order([topic]))
        found.update(topic.sized)
    return found


def page_order(topics: Sequence[TopicPages]) -> Pages:
    """Documents and pages: those with something relevant before others, then in the order of topics."""
    first = {page: None for topic in topics for page in topic.relevant}
    later = {page: None for topic in topics for page in topic.retrieved}
    return list({**first, **later})
