"""A small campaign over structured documents: one ranker, results of different sizes, the four tasks of INEX.

The files are in the folder beside this module. scripts/make_campaign.py in the repository makes the assessments and the
runs again from the articles, the topics and the highlighted text.
"""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from typing import Any

from berrypick.demo._prose import (
    DemoPart,
    DemoReading,
    Numbers,
    items,
    measured,
    paragraph,
    table,
    to_type,
    wrap_command,
)

TITLE = "A campaign over structured documents"
ARTICLES, QUESTIONS, WINDOW = 20, 10, 400
COLLECTION = "collection"
#: Elements that nobody wants as results. (INEX 2006 left out links.)
LEFT_OUT = "emph,link,st,title"
#: Not a thing to be good at: it says how far a list repeats itself.
OVERLAP = "Overlap@10"

ELEMENTS = ("runs/articles.xml", "runs/sections.xml", "runs/paragraphs.xml", "runs/elements.xml")


@dataclass(frozen=True)
class Question:
    """One evaluation: the files, the measures, the reader."""

    files: DemoPart
    measures: str
    user: str = ""

    @property
    def ignore_elements(self) -> str:
        return LEFT_OUT if self.files.truth.endswith(".xml") else ""

    def answer(self) -> Numbers:
        """``{measure: {run: value}}``."""
        return measured(
            self.files, DemoReading("", self.measures, self.user, "", COLLECTION, ignore_elements=self.ignore_elements)
        )

    def command(self) -> str:
        """What to type in the folder of the campaign; long lines are continued."""
        words = ["berrypick evaluate", self.files.truth, *self.files.runs, f"-m {shlex.quote(self.measures)}"]
        words += [f"--user {shlex.quote(self.user)}"] if self.user else []
        words += [f"--ignore-elements {self.ignore_elements}"] if self.ignore_elements else []
        words += [f"--collection {COLLECTION}"]
        return wrap_command([" "], words)


def _files(truth: str, *runs: str) -> DemoPart:
    return DemoPart("campaign", truth, runs)


FOCUSED = Question(
    _files("assessments.xml", *ELEMENTS, "runs/windows.run"), f"nxCG@5 nxCG@10 nxCG@25 iP@0.01 AiP {OVERLAP}"
)
THOROUGH = Question(_files("assessments.xml", *ELEMENTS), "MAep iMAep")
RELEVANT_IN_CONTEXT = Question(
    _files("highlighted.qrels", "runs/articles.xml", "runs/excerpts.run", "runs/context.xml"), "AP gP@5 AgP"
)
BEST_IN_CONTEXT = Question(
    _files("highlighted.qrels", "runs/articles.xml", "runs/entries.run"), "BEPD BEPD(A=10) EPRUM", user="bep"
)
#: An article shows several answers at once: compared with the list of answers it would have a value above 1.
BOUNDED = "EPRUM(ideal='certified',norm='bounded')"
READERS = {
    name: Question(_files("assessments.xml", *ELEMENTS), BOUNDED, user)
    for name, user in {
        "classical": "",
        "coverage": "coverage",
        "hierarchy": "hierarchy",
        "distance": "distance",
        "t2i": "t2i(tolerance=300)",
    }.items()
}
QUESTIONS_ASKED = (FOCUSED, THOROUGH, RELEVANT_IN_CONTEXT, BEST_IN_CONTEXT, *READERS.values())


def numbers() -> Numbers:
    """EPRUM, bounded: ``{reader: {run: value}}``."""
    return {name: question.answer()[BOUNDED] for name, question in READERS.items()}


def text() -> str:
    return "\n".join([_scene(), _focused(), _thorough(), _relevant_in_context(), _best_in_context(), _readers(),
                      _commands()])  # fmt: skip


def write_page(html: str | os.PathLike[str]) -> Any:
    """A report on the lists of elements: where in the articles they fall, and what readers see of them."""
    from berrypick.report.html.html_report import write_report

    files = FOCUSED.files
    topics = json.loads(files.path("topics.json").read_text(encoding="utf-8"))
    return write_report(
        files.path(files.truth),
        [files.path(run) for run in ELEMENTS],
        f"EPRUM EPRUM(user='hierarchy') nxCG@10 AiP MAep {OVERLAP}",
        html=html,
        title="A handbook of fruit growing: results of four sizes",
        titles={topic["topic"]: topic["title"] for topic in topics},
        command="berrypick demo --html FILE",
        collection=files.path(COLLECTION),
        ignore_elements=LEFT_OUT,
    )


def _scene() -> str:
    scene = paragraph(
        f"""A handbook of fruit growing: {ARTICLES} articles in XML, with sections in sections, paragraphs, lists and
        links. For {QUESTIONS} questions the text that answers them was highlighted, from half a sentence to a whole
        article, and in each article the place was marked where reading should begin. How much relevant text each
        element holds follows from that. One ranker, the full-text index of SQLite, was asked for results of different
        sizes:"""
    )
    runs = {
        "articles": "whole articles",
        "sections": "sections",
        "paragraphs": "paragraphs and items of lists",
        "elements": "all of these in one list: the same text comes several times",
        "windows": f"passages of {WINDOW} characters, each overlapping the next by half",
        "excerpts": "the articles in the same order, of each the windows that match best, joined",
        "context": "the articles in the same order, of each the paragraphs that match best",
        "entries": "the articles in the same order, of each one place to start reading",
    }
    question = """Which size is best? That depends on the task, and on the reader. INEX, the campaign that measured
        retrieval of XML from 2002 on, had four tasks."""
    return "\n".join([scene, items(runs), paragraph(question)])


def _task(heading: str, columns: Numbers, seen: str) -> str:
    """A table, and what one sees in it."""
    return "\n".join([table(heading, columns, without_best=[OVERLAP]), paragraph(seen)])


def _focused() -> str:
    return _task(
        "Focused task: the right parts, and no text twice",
        FOCUSED.answer(),
        """nxCG@k: what the first k results gain, over what the best k results would. An element gains by how
        much of it is relevant, not by its length, and most of the best ones are paragraphs: paragraphs lead.
        AiP counts characters, and most relevant characters are in sections that are relevant as a whole;
        paragraph by paragraph they come slowly: sections lead. iP@0.01 looks at the first few characters only.
        elements and windows break the rule of this task. Overlap@10 is the share of their first ten results
        that was shown before; it gains nothing, so both fall further behind from nxCG@5 to nxCG@25. (With
        --task focused such runs are refused; --repair drop-overlap mends windows.)""",
    )


def _thorough() -> str:
    return _task(
        "Thorough task: all relevant elements, however they overlap",
        THOROUGH.answer(),
        """MAep and iMAep: how many results the best list would need for the same gain, over how many this one
        took. A section counts here, and the paragraphs in it count again. What was a fault is now the task:
        elements is far ahead, and whoever returns a single size can find no other.""",
    )


def _relevant_in_context() -> str:
    return _task(
        "Relevant in context: articles, and in each the right text",
        RELEVANT_IN_CONTEXT.answer(),
        """All three return the same articles in the same order, so AP, which sees only articles, cannot tell
        them apart. gP and AgP score each article by the text shown in it (F, in which precision weighs more
        than recall). A whole article shows all that is relevant and much besides; joined windows show less
        besides; paragraphs come closest to what was highlighted.""",
    )


def _best_in_context() -> str:
    return _task(
        "Best in context: articles, and in each the place to start",
        BEST_IN_CONTEXT.answer(),
        """BEPD: how near the place comes to the best entry point. The same articles once more; what differs is
        where readers are put down, at the top or at the best paragraph. With A=10 distance hardly counts, and
        the difference nearly goes away. EPRUM here has the same notion of nearness (user model bep), and asks
        besides how early in the list the entry points are reached.""",
    )


def _readers() -> str:
    readers = {
        "classical": "wants the ideal element itself, nothing larger or smaller",
        "coverage": "sees as much of it as the result covers",
        "hierarchy": "goes up or down from the result to what is around or inside it, the more likely, the nearer they"
        " are in length",
        "distance": "sees what the result holds, and gets to what is near it in the same article",
        "t2i": "starts where the result starts, reads on, and gives up after 300 characters of nothing relevant",
    }
    seen = _task(
        "Bounded EPRUM, a column per reader",
        numbers(),
        """Three winners for five readers. Who takes only the exact element is best served by elements, the one
        list with all sizes. Who sees all that a result covers, with or without what is near it, is best served by
        whole articles: one of them shows several answers at once. EPRUM counts results and not what there is to
        read in them, so against the list of answers it would even be above 1; EPRUM(ideal='certified',
        norm='bounded') compares with the best list of any elements instead, and stays within 1. Who moves up and
        down from the result to the answer does so best from paragraphs, which are nearest to it in length. And who
        starts at the top and reads on finds about as much from paragraphs as from sections, which start shortly
        before an answer. The top of an article is too far away.""",
    )
    return "\n".join(["EPRUM sees the same lists with the eyes of five readers:\n", items(readers), seen])


def _commands() -> str:
    return to_type(FOCUSED.files, [question.command() for question in QUESTIONS_ASKED])
