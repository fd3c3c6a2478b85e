"""hyperlink: the reader follows links."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.collection import Collection
from berrypick.data.errors import InputError, UsageError
from berrypick.data.navigation import LinkTable
from berrypick.data.parameters import above_zero, positive_share, zero_or_more
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.users.base import Leads, NavigationModel, ReaderContext, Slider, wrong_navigation
from berrypick.users.links._hitting import Chain
from berrypick.users.links._navigation import chain_leads, walk_chain
from berrypick.users.walks import Readers, Visits


@dataclass(frozen=True)
class Hyperlink(NavigationModel):
    """The reader follows one of the links of a page, each with the same probability (option navigation: links).

    Without a table of links, those of the XML documents of the collection (a folder or an index) are followed,
    from document to document, each pair once.

    One step: follow/outdegree for each linked page. Several steps: the probability of having been at a page within
    that many clicks, over all routes; steps=0 means without limit. With trail=1.5 a reader follows t links with a
    probability that falls as t^-1.5, t = 1 .. steps (Huberman et al. 1998, in section 5.2 of effort-precision with
    navigation). Links of a page to itself do not count.
    Effort: the length of what is pointed to, and of the targets reached outside of it.
    """

    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum", "piwowarski2007prum", "kazai2007effort")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.eprum(
            "8",
            "",
            "definition",
            "readers follow a link with a chance inverse to the number of links",
            "berrypick evaluate TRUTH RUN -m EPRUM --user hyperlink",
        ),
    )
    navigation: ClassVar[tuple[type, ...]] = (LinkTable,)
    navigation_needed: ClassVar[str] = "a table of links (from, to)"
    slider: ClassVar[Slider | None] = (("follow",), (0.2, 0.4, 0.6, 0.8, 1))

    follow: float = positive_share(1, "probability that a reader follows any link at all")
    steps: int = zero_or_more(1, "maximum clicks in a row; 0 for no limit", "int")

    trail: float | None = above_zero(
        None, "how quickly the share of trails of t links falls with t: t^-trail, up to steps"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.trail is not None and self.steps < 2:
            raise UsageError("hyperlink(trail=) needs the longest trail, as in hyperlink(trail=1.5,steps=100)")

    def leads(self, sources: list[str], targets: list[str], context: ReaderContext) -> Leads:
        chain = link_chain(self._links(context), self.follow)
        return chain_leads(chain, sources, targets, self.steps or None, self.trail)

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """A reader clicks on one link after the other, so that one click leads to one page."""
        chain = link_chain(self._links(context), self.follow)
        return walk_chain(chain, ranking.fresh(), targets, readers, self.steps or None, self.trail)

    def units(self, context: ReaderContext) -> tuple[str, ...]:
        return self._links(context).units

    def _links(self, context: ReaderContext) -> LinkTable:
        known = context.single_documents  # of which only the links are read
        if context.navigation is None and known is not None and known.structures:
            return links_within(known)
        if not isinstance(context.navigation, LinkTable):
            raise wrong_navigation(self, context)
        return context.navigation


@lru_cache(maxsize=2)
def links_within(collection: Collection) -> LinkTable:
    """Which document of a collection links to which; documents that cannot be read link to nothing."""
    rows: dict[tuple[str, str], None] = {}
    for document in collection.structures:
        try:
            links = collection.structures[document].links
        except InputError:
            continue
        rows.update(((document, target), None) for _, target in links)
    return LinkTable(rows, collection.source)


@lru_cache(maxsize=4)
def link_chain(links: LinkTable, follow: float) -> Chain:
    number = {unit: i for i, unit in enumerate(links.units)}
    pairs = np.array([(number[a], number[b]) for a, b in links.rows if a != b], dtype=np.int64).reshape(-1, 2)
    degree = np.bincount(pairs[:, 0], minlength=len(number))
    return Chain(links.units, pairs[:, 0], pairs[:, 1], follow / degree[pairs[:, 0]])
