"""The index of the papers: what measures and user models declare, and what belongs to none of them."""

from __future__ import annotations

from berrypick import measures, users
from berrypick.data import papers as cite

#: What commands, options and experiments compute, and what is left out.
OTHERS = (
    cite.eprum(
        "3.1",
        "",
        "definition",
        "idealism: what a reader wants to see, and nothing around it",
        "berrypick evaluate TRUTH RUN -m EPRUM --idealism 0=0,1=.5,2=1",
    ),
    cite.eprum(
        "3.2",
        "",
        "figure",
        "figure 1: a reader finds targets at ranks 2, 3 and 5",
        "berrypick simulate TRUTH RUN -m EPRUM",
    ),
    cite.eprum(
        "3.3",
        "",
        "hypothesis",
        "3.1: what a reader does at one rank is independent of other ranks and targets",
        "berrypick simulate TRUTH RUN -m EPRUM --together independent",
    ),
    cite.eprum(
        "3.3",
        "",
        "definition",
        "parameters of a user model from what readers did",
        "berrypick fit distance LOG",
    ),
    cite.eprum(
        "7",
        "",
        "experiment",
        "figure 4: ideal runs with moved elements, EPRUM beside ep/gr, on another collection",
        "python experiments/degraded_runs.py",
    ),
    cite.left_out(
        "piwowarski2006eprum",
        "7",
        "",
        "correlation of both measures over 45 runs and 29 topics of INEX 2005",
        "the runs and assessments cannot be had; berrypick correlate computes it where they can",
    ),
    cite.eprum(
        "8",
        "",
        "definition",
        "time instead of list items as effort",
        "berrypick evaluate TRUTH RUN -m epnav --effort chars",
    ),
    cite.eprum("8", "", "definition", "stability of the measure", "berrypick stability TRUTH RUN OTHER -m EPRUM"),
    cite.eprum("8", "", "definition", "the ideal list of a user model", "berrypick ideal TRUTH -m EPRUM"),
    cite.inex(
        "2",
        "",
        "definition",
        "the four tasks and their measures",
        "berrypick evaluate TRUTH RUN -m EPRUM --protocol inex2006",
    ),
    cite.inex("3", "", "definition", "assessments from highlighted text", "berrypick evaluate TRUTH RUN -m charR"),
    cite.inex(
        "8.1",
        "",
        "definition",
        "elements that are links are ignored",
        "berrypick evaluate TRUTH RUN -m EPRUM --protocol inex2006",
    ),
    cite.inex(
        "8.1",
        "",
        "experiment",
        "rankings with and without link elements by Kendall's tau, on data that can be had",
        "berrypick correlate RESULTS",
    ),
    cite.left_out(
        "lalmas2007inex",
        "8.1",
        "",
        "table 1: correlations of the official runs",
        "the submitted runs cannot be had",
    ),
    cite.inex(
        "8.2",
        "",
        "experiment",
        "ideal against full recall base by Kendall's tau, on another collection",
        "python experiments/recall_bases.py",
    ),
    cite.left_out(
        "lalmas2007inex",
        "8.2",
        "",
        "table 2: correlations of the official runs",
        "the submitted runs cannot be had",
    ),
    cite.tolerance(
        "3.1",
        "",
        "definition",
        "strict and generalised quantisation",
        "berrypick evaluate TRUTH RUN -m \"T2I(tolerance=15,quant='strict')\"",
    ),
    cite.tolerance("6", "", "definition", "tolerance estimated from what readers did", "berrypick fit t2i LOG"),
    cite.tolerance(
        "6",
        "",
        "definition",
        "stability of rankings as the tolerance changes",
        "berrypick compare TRUTH RUN OTHER -m EPRUM --collection LENGTHS --over t2i(tolerance=5..60)",
    ),
    cite.effort(
        "3.2",
        "",
        "figure",
        "figures 1 and 2: highlighted text and its assessments",
        "berrypick evaluate TRUTH RUN -m \"xCG(base='full')@1\"",
    ),
    cite.effort(
        "5.2",
        "",
        "hypothesis",
        "navigation from one rank is independent of earlier navigation",
        "berrypick simulate TRUTH RUN -m epnav --together independent",
    ),
    cite.left_out(
        "kazai2007effort",
        "2",
        "",
        "studies of navigation on the web and in structured documents",
        "a survey, which defines nothing",
    ),
    cite.prum(
        "2.1",
        "",
        "figure",
        "figure 1: a reader consults five results to see four targets",
        "berrypick simulate TRUTH RUN -m PRUM --units 100",
    ),
    cite.prum(
        "2.1",
        "",
        "table",
        "tables I and II: random variables and parameters",
        "berrypick evaluate TRUTH RUN -m PRUM --units 100",
    ),
    cite.prum(
        "2.1",
        "",
        "figure",
        "figure 3: an XML document and a site with near misses",
        "berrypick evaluate TRUTH RUN -m EPRUM --user hierarchy",
    ),
    cite.prum(
        "2.3",
        "",
        "hypothesis",
        "2.1: readers navigate alike, however much they want to see",
        'berrypick evaluate TRUTH RUN -m "PRUM(r=1) PRUM(r=2)" --units 100',
    ),
    cite.prum(
        "2.3",
        "",
        "hypothesis",
        "2.2: readers navigate from one result independently of others",
        "berrypick simulate TRUTH RUN -m PRUM --units 100 --together independent",
    ),
    cite.prum(
        "2.3",
        "",
        "figure",
        "figure 4: a target behind three results, seen with .4, .94, .952",
        "bp.expected_ratio([[0.4], [0.9], [0.2]])",
    ),
    cite.left_out(
        "piwowarski2007prum",
        "4.1.2",
        "",
        "table IV: properties of measures in words",
        "it ranks nothing that can be computed",
    ),
    cite.prum(
        "4.2.2",
        "",
        "figure",
        "figure 7: one element leads to two targets of 100 elements",
        "bp.prum([[1, 1]], units=100)",
    ),
    cite.prum(
        "5",
        "",
        "definition",
        "readers do not come back to a document",
        'berrypick evaluate TRUTH RUN -m EPRUM --user "hierarchy(returns=False)"',
    ),
    cite.prum("5", "", "definition", "parameters from what readers did", "berrypick fit markov SESSIONS"),
    cite.left_out(
        "piwowarski2007prum",
        "A.1",
        "10",
        "the event that exactly some targets were seen",
        "a statement in logic; its probability is equation 11",
    ),
)


def paper_items() -> list[cite.PaperItem]:
    """Return every item of every paper, in the order of the papers and their sections."""
    declared = [
        item
        for registry in (measures.registry, users.registry)
        for one in registry.built_in().values()
        for item in vars(one).get("papers", ())
    ]
    order = list(cite.EQUATIONS)
    return sorted([*declared, *OTHERS], key=lambda item: (order.index(item.paper), _place(item)))


def _place(item: cite.PaperItem) -> tuple[tuple[int, int, int], int]:
    """Sort sections as people count them, appendices last, and equations by number within them."""
    parts = [ord(part) + 100 if part.isalpha() else int(part) for part in item.section.split(".")]
    parts += [0] * (3 - len(parts))
    return (parts[0], parts[1], parts[2]), int(item.equation or 0)
