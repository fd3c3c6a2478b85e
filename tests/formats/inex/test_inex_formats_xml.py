"""INEX assessments and submissions in XML."""

from __future__ import annotations

import gzip
import io
import json
import math
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick import formats
from berrypick.cli import cli
from berrypick.data.assemble import assemble
from berrypick.data.errors import InputError
from berrypick.data.run import Run
from berrypick.data.truth import EntryPoint, Passage, TopicTruth, Truth
from berrypick.formats import Problems
from berrypick.formats.inex._inex import ends_before
from berrypick.formats.inex.inex_assessments import InexAssessments
from berrypick.formats.inex.inex_fol_run import InexFolRun
from berrypick.formats.inex.inex_submission import InexSubmission, task_in_our_words

Y2002 = """<?xml version="1.0"?>
<assessments topic="3">
 <file file="an/1995/a1032">
  <path path="/article[1]" relevance="1"/>
  <path path="/article[1]/bdy[1]" relevance="3"/>
  <path path="/article[1]/fm[1]" relevance="0"/>
 </file>
</assessments>
"""
Y2003 = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE assessments SYSTEM "assessments.dtd">
<assessments pool='31' topic='91'>
 <file file='an/1995/a1032'>
  <path path='/article[1]/bdy[1]/sec[2]' exhaustiveness='2' specificity='3' inferred='n' inpool='y' inconsistant='n'/>
  <path path='/article[1]' exhaustiveness='2' specificity='1'/>
  <path path='/article[1]/fm[1]' exhaustiveness='U' specificity='U'/>
  <path path='/article[1]/bm[1]' inpool='y'/>
  <path path='/article[1]/bdy[1]/sec[1]' exhaustiveness='0' specificity='0'/>
 </file>
 <file file='an/1995/a1033'/>
</assessments>
"""
EARLY_2005 = """<assessments pool="150" topic="202" version="2">
 <!-- Topic definition -->
 <inex_topic topic_id="202"><title>x &lt; y</title><file name="not an assessment"/></inex_topic>
 <file collection="ieee" name="co/2000/r7108">
   <passage start="/article[1]/bdy[1]/sec[1]" end="/article[1]/bdy[1]/sec[2]"/>
   <element path="/article[1]" exhaustivity="2" specificity="0.54"/>
   <element path="/article[1]/bdy[1]/sec[1]/p[1]" exhaustivity="?" specificity="1"/>
 </file>
</assessments>
"""
Y2005 = """<assessments pool="150" topic="202" version="2">
 <file collection="ieee" name="a">
   <element path="/article[1]" exhaustivity="1" size="1000" rsize="250"/>
   <element path="/article[1]/sec[1]" exhaustivity="2" size="500" rsize="250"/>
   <element path="/article[1]/sec[1]/it[1]" exhaustivity="?" size="5" rsize="5"/>
 </file>
</assessments>
"""
Y2006 = """\ufeff<?xml version="1.0" encoding="UTF-8"?>
<!--
  passed over
-->
<!DOCTYPE assessments SYSTEM "../../assessments.dtd">

<assessments pool="12" topic="289" version="2">
 <file collection="wikipedia" name="2267781">
   <best-entry-point path="/article[1]/body[1]/section[1]/p[5]/text() [1].89"/>
   <passage start="/article[1]/body[1]/section[1]/p[5]/text()[1].89"
            end="/article[1]/body[1]/section[1]/p[5]/text()[1].199" size="111"/>
   <!-- WARNING: passage overlap - merging -->
   <element path="/article[1]/body[1]/section[1]/p[5]" exhaustivity="2" size="569" rsize="111"/>
   <element path="/article[1]" exhaustivity="1" size="20376" rsize="111"/>
   <element path="/article[1]/empty[1]" exhaustivity="2" size="0" rsize="0"/>
 </file>
 <file collection="wikipedia" name="851"></file>
</assessments>
"""
# Without a best entry point, as in the navigation paper's figure 2.
FIGURE_2 = """<assessments topic="1"><file collection="wikipedia" name="2267781">
<element path="/article[1]/body[1]" exhaustivity="2" size="20356" rsize="111"/>
<element path="/article[1]" exhaustivity="2" size="20376" rsize="111"/></file></assessments>
"""
SUBMISSION = """<?xml version="1.0" encoding="UTF-8"?>
<inex-submission participant-id="12" run-id="mine" task="Focused" query="automatic" result-type="element">
 <topic-fields title="yes" castitle="no" description="no" narrative="no"/>
 <description>What it does: a &amp; b</description>
 <collections><collection>wikipedia</collection></collections>
 <topic topic-id="289">
  <collections><collection>wikipedia</collection></collections>
  <result><in>wikipedia</in><file>100</file><path>/article[1]/sec[2]</path><rank>1</rank><rsv>0.9</rsv></result>
  <result><in>wikipedia</in><file> 101
  </file><path>
   /article/p[3]</path><rank>0</rank><rsv>0.95</rsv></result>
 </topic>
 <topic topic-id="290"><result><file>7</file><path>/article[1]</path><rank>5</rank><rsv>0.1</rsv></result></topic>
</inex-submission>
"""


def put(folder: Path, text: str | bytes, name: str = "file.xml") -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def written(form: Any, value: Any) -> str:
    assert form.accepts(value) == ""
    out = io.StringIO()
    form.write(value, out)
    return out.getvalue()


def submission(results: str, head: str = 'run-id="r"') -> str:
    return f'<inex-submission {head}>\n<topic topic-id="1">\n{results}\n</topic>\n</inex-submission>\n'


def result(inside: str) -> str:
    return f"<result><file>a</file>{inside}</result>\n"


def numbers(values: Any) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


# Assessments of every year


def test_2002(tmp_path: Path) -> None:
    truth = formats.read_truth(put(tmp_path, Y2002))
    topic = truth.topics["3"]
    assert truth.scale == "2002" and truth.units == "elements" and topic.document == ("an/1995/a1032",) * 3
    assert topic.exhaustivity is not None and topic.exhaustivity.tolist() == [1, 3, 0]
    assert topic.specificity is not None and topic.specificity.tolist() == [3, 3, 0]
    assert topic.grade.tolist() == [1, 1, 0]


def test_2003(tmp_path: Path) -> None:
    problems = Problems("x")
    truth = InexAssessments.read(put(tmp_path, Y2003), problems)
    topic = truth.topics["91"]
    assert truth.scale == "2002" and topic.empty_documents == ("an/1995/a1033",)
    assert topic.exhaustivity is not None and numbers(topic.exhaustivity) == [2, 2, None, None, 0]
    assert topic.specificity is not None and numbers(topic.specificity) == [3, 1, None, None, 0]
    assert topic.grade.tolist() == [1, 1, 0, 0, 0] and topic.line is not None and topic.line.tolist() == [5, 6, 7, 8, 9]
    assert problems.counts == {"unassessed elements": 2}
    assert topic.size is not None and np.isnan(topic.size).all()


def test_early_2005(tmp_path: Path) -> None:
    truth = formats.read_truth(put(tmp_path, EARLY_2005))
    topic = truth.topics["202"]
    assert truth.scale == "2005" and list(topic.documents()) == ["co/2000/r7108"]
    assert topic.specificity is not None and topic.specificity.tolist() == [0.54, 1]
    assert topic.exhaustivity is not None and topic.exhaustivity.tolist() == [2, 0]
    assert topic.grade.tolist() == [1, 0]
    assert topic.passages == (
        Passage("co/2000/r7108", "/article[1]/bdy[1]/sec[1]", "/article[1]/bdy[1]/sec[2]", None, 5),
    )


def test_2005(tmp_path: Path) -> None:
    truth = formats.read_truth(put(tmp_path, Y2005))
    topic = truth.topics["202"]
    assert truth.scale == "2005" and topic.grade.tolist() == [1, 1, 0] and truth.lengths == {"a": 1000}
    assert topic.specificity is not None and topic.specificity.tolist() == [0.25, 0.5, 1]
    assert topic.rsize is not None and topic.rsize.tolist() == [250, 250, 5]


def test_2006_has_entry_points(tmp_path: Path) -> None:
    truth = formats.read_truth(put(tmp_path, Y2006))
    topic = truth.topics["289"]
    assert truth.scale == "sizes"  # although exhaustivity differs
    point = "/article[1]/body[1]/section[1]/p[5]/text()[1].89"
    assert topic.entry_points == (EntryPoint("2267781", point, line=9),)
    assert topic.passages[0] == Passage("2267781", point, point.replace(".89", ".199"), 111, 10 + 1)
    assert topic.grade.tolist() == [1, 1, 0] and topic.empty_documents == ("851",)
    assert topic.specificity is not None and topic.specificity.tolist() == [111 / 569, 111 / 20376, 0]


def test_2006_without_entry_points(tmp_path: Path) -> None:
    truth = formats.read_truth(put(tmp_path, FIGURE_2))
    assert truth.scale == "sizes" and truth.lengths == {"2267781": 20376}
    no_grades = FIGURE_2.replace('exhaustivity="2" ', "")
    again = formats.read_truth(put(tmp_path, no_grades))
    assert again.scale == "sizes" and again.topics["1"].grade.tolist() == [1, 1]


def test_exhaustivity_1_alone_is_2005_and_counts_half(tmp_path: Path) -> None:
    """An element of exhaustivity 1, all highlighted: e/2 x s = .5 by default, and the signature says how."""
    one = FIGURE_2.replace('exhaustivity="2"', 'exhaustivity="1"')
    path = put(tmp_path, one)
    truth = formats.read_truth(path)
    assert truth.scale == "2005"
    share = 111 / 20356
    run = put(tmp_path, "1 Q0 2267781 1 1 r /article[1]/body[1]\n", "r.run")
    found = bp.evaluate(path, run, ["xCG@1", "xCG(quant='specificity')@1", "xCG(quant='generalised')@1"])
    assert list(found.mean()["r"].values()) == pytest.approx([share / 2, share, share / 2])
    assert found.mean_rows[0].signature["quant"] == "generalised"


def test_several_topics_in_one_file(tmp_path: Path) -> None:
    both = f"<all>\n{Y2005}{FIGURE_2}</all>"
    path = put(tmp_path, both)
    truth = formats.read_truth(path)
    assert list(truth.topics) == ["202", "1"] and truth.scale == "2005"


def test_folder(tmp_path: Path) -> None:
    put(tmp_path, Y2006, "main/topic-10/pool-1.xml")
    put(tmp_path, gzip.compress(FIGURE_2.encode()), "main/topic-2/pool-4.xml.gz")
    put(tmp_path, "<!ELEMENT x ANY>", "assessments.dtd")
    put(tmp_path, "<topics/>", "topics.xml")
    problems = Problems(str(tmp_path))
    assert formats.sniff(str(tmp_path), "truth") is InexAssessments
    truth = InexAssessments.read(str(tmp_path), problems)
    assert list(truth.topics) == ["1", "289"] and truth.scale == "sizes"
    assert problems.counts == {"XML files without assessments, skipped": 1}
    put(tmp_path, FIGURE_2, "others/pool-5.xml")
    with pytest.raises(InputError, match=r"topic 1 is assessed twice, first in .*pool-4\.xml\.gz:1") as error:
        formats.read_truth(tmp_path)
    assert str(error.value.path).endswith("pool-5.xml") and error.value.line == 1


def test_folder_is_evaluated(tmp_path: Path, berrypick: Any) -> None:
    put(tmp_path, FIGURE_2, "campaign/1.xml")
    run = put(tmp_path, submission("<result><file>2267781</file><path>/article[1]/body[1]</path></result>"), "run.xml")
    done = berrypick("evaluate", tmp_path / "campaign", run, "-m", "nxCG@1", "-o", "tsv")
    assert done.code == 0 and done.out.splitlines()[1].split("\t") == ["r", "all", "nxCG@1", "1.0"]


def test_folder_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder in no recognised judgement format"):
        formats.read_truth(tmp_path)
    with pytest.raises(InputError, match="folder without XML files"):
        formats.read_truth(tmp_path, "inex-assessments")


def test_campaigns_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="different campaigns"):
        formats.read_truth(put(tmp_path, f"<all>{Y2003.partition('dtd')[2][3:]}{FIGURE_2}</all>"))


ELEMENT = '<element path="/article[1]" exhaustivity="2" size="9" rsize="3"/>'


@pytest.mark.parametrize(
    ("inside", "what"),
    [
        ('<element path="article[1]" exhaustivity="2" size="9" rsize="3"/>', "'article[1]' is not a path"),
        ('<element exhaustivity="2" size="9" rsize="3"/>', "'' is not a path"),
        ('<element path="/a[1]/text()[1]" exhaustivity="2" size="9" rsize="3"/>', "is not a path"),
        ('<element path="/a[1]" exhaustivity="3" size="9" rsize="3"/>', "exhaustivity is '3', expected one of 0, 1, 2"),
        ('<element path="/a[1]" exhaustivity="2" size="9" rsize="10"/>', "10 characters are highlighted in an element"),
        ('<element path="/a[1]" exhaustivity="2" size="9"/>', "rsize is missing"),
        ('<element path="/a[1]" exhaustivity="2" size="-9" rsize="3"/>', "size is '-9'"),
        ('<element path="/a[1]" exhaustivity="2"/>', "neither size and rsize nor a specificity"),
        ('<element path="/a[1]" exhaustivity="2" specificity="1.5"/>', "specificity is '1.5'"),
        (
            '<path path="/a[1]" exhaustiveness="4" specificity="3"/>',
            "exhaustiveness is '4', expected one of 0, 1, 2, 3",
        ),
        ('<path path="/a[1]" exhaustiveness="3" specificity="?"/>', "specificity is '?'"),
        ('<path path="/a[1]" relevance="E"/>', "relevance is 'E'"),
        (ELEMENT, "/article[1] of x is assessed twice, first in line 4"),
        ('<passage start="/a[1]/p[2]" end="/a[1]/p[1]" size="3"/>', "the passage ends before it starts"),
        ('<passage start="/a[1]/text()[1].9" end="/a[1]/text()[1].7"/>', "the passage ends before it starts"),
        ('<passage start="/a[1]" size="3"/>', "end is missing, which is not a point"),
        ('<passage start="/a[1]" end="/a[1]" size="many"/>', "size is 'many'"),
        ('<best-entry-point path="here"/>', "path is 'here', which is not a point"),
    ],
)
def test_assessments_that_are_wrong(tmp_path: Path, inside: str, what: str) -> None:
    path = put(
        tmp_path,
        f'<?xml version="1.0"?>\n<assessments topic="1">\n<file name="x">\n{ELEMENT}\n{inside}\n</file></assessments>',
    )
    with pytest.raises(InputError) as error:
        formats.read_truth(path)
    assert error.value.line == 5 and error.value.path == path and what in str(error.value)
    problems = Problems(path, strict=False)
    assert len(InexAssessments.read(path, problems).topics["1"]) == 1 and len(problems.found) == 1


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('<a>\n<assessments pool="1"><file name="x"/></assessments></a>', 2, "have no topic"),
        ('<assessments topic="1">\n<file/></assessments>', 2, "has no document name"),
        ('<assessments topic="1">\n<file name="x"/>\n<file name="x"/></assessments>', 3, "assessed twice for topic 1"),
        ("<other><thing/></other>", None, "holds no <assessments>"),
    ],
)
def test_assessments_without_a_name(tmp_path: Path, text: str, line: int | None, what: str) -> None:
    with pytest.raises(InputError, match=what) as error:
        formats.read_truth(put(tmp_path, text), "inex-assessments")
    assert error.value.line == line


@pytest.mark.parametrize(
    ("start", "end", "before"),
    [
        ("/a[1]/p[2]", "/a[1]/p[1]", True),
        ("/a[1]/p[2]/b[7]", "/a[1]/p[10]/b[1]", False),
        ("/a[1]/p[2]", "/a[1]/p[2]", False),
        ("/a[1]/p[2]", "/a[1]/p[2]/b[1]", False),
        ("/a[1]/p[2]", "/a[1]", False),
        ("/a[1]/p[2]", "/a[1]/q[1]", False),  # siblings of different names: nobody knows
        ("/a[1]/text()[2].5", "/a[1]/text()[1].9", True),
        ("/a[1]/text()[1].10", "/a[1]/text()[1].9", True),
        ("/a[1]/text()[1].9", "/a[1]/text()[1].10", False),
        ("/a.b[1]/text()[1]", "/a.b[1]/text()[1].3", False),
    ],
)
def test_where_order_can_be_told(start: str, end: str, before: bool) -> None:
    assert ends_before(start, end) is before


@pytest.mark.parametrize("text", [Y2002, Y2003, EARLY_2005, Y2005, Y2006, FIGURE_2, f"<all>{Y2005}{FIGURE_2}</all>"])
def test_assessments_round_trip(tmp_path: Path, text: str) -> None:
    truth = formats.read_truth(put(tmp_path, text))
    again = formats.read_truth(put(tmp_path, written(InexAssessments, truth), "again.xml"))
    same_truth(truth, again)
    assert written(InexAssessments, again) == written(InexAssessments, truth)


def same_truth(one: Truth, other: Truth) -> None:
    assert one.scale == other.scale and one.lengths == other.lengths and list(one.topics) == list(other.topics)
    for ours, theirs in zip(one.topics.values(), other.topics.values(), strict=True):
        assert ours.document == theirs.document and ours.path == theirs.path
        assert ours.empty_documents == theirs.empty_documents
        for name in ("grade", "exhaustivity", "specificity", "size", "rsize"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name), equal_nan=True), name
        assert [(p.document, p.start, p.end, p.size) for p in ours.passages] == [
            (p.document, p.start, p.end, p.size) for p in theirs.passages
        ]
        assert [(p.document, p.point) for p in ours.entry_points] == [
            (p.document, p.point) for p in theirs.entry_points
        ]


names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn"), exclude_characters="\ufffe\uffff"),
    min_size=1,
    max_size=5,
).filter(lambda name: name == name.strip())
steps = st.builds("/{}[{}]".format, st.sampled_from(["article", "bdy", "sec-1", "h1a", "x:s", "é"]), st.integers(1, 99))
element_paths = st.lists(steps, min_size=1, max_size=4).map("".join)
sizes = st.integers(0, 10**6).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size)))


@given(
    st.dictionaries(names, st.dictionaries(element_paths, st.tuples(st.sampled_from("012?"), sizes), max_size=4)),
    st.booleans(),
)
def test_generated_assessments_round_trip(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, dict[str, Any]], pointed: bool
) -> None:
    rows = [(document, path, *found) for document, paths in files.items() for path, found in paths.items()]
    topic = TopicTruth(
        "t",
        tuple(row[0] for row in rows),
        np.ones(len(rows)),
        path=tuple(row[1] for row in rows),
        exhaustivity=np.array([0.0 if row[2] == "?" else float(row[2]) for row in rows]),
        size=np.array([float(row[3][0]) for row in rows]),
        rsize=np.array([float(row[3][1]) for row in rows]),
        empty_documents=tuple(document for document, paths in files.items() if not paths),
        entry_points=tuple(EntryPoint(document, "/article[1]") for document in files if files[document] and pointed),
    )
    folder = tmp_path_factory.mktemp("truth")
    first = formats.read_truth(put(folder, written(InexAssessments, Truth("elements", {"t": topic}, scale="2005"))))
    found = first.topics["t"]
    assert found.document == topic.document and found.path == topic.path
    for name in ("exhaustivity", "size", "rsize"):
        assert np.array_equal(getattr(found, name), getattr(topic, name))
    same_truth(first, formats.read_truth(put(folder, written(InexAssessments, first))))


def test_truth_that_assessments_cannot_hold() -> None:
    topic = TopicTruth("1", ("a",), np.ones(1), path=("/a[1]",), entry_points=(EntryPoint("a", offset=3),))
    assert "offsets" in InexAssessments.accepts(Truth("elements", {"1": topic}))
    assert "cannot be written in XML" in InexAssessments.accepts(
        Truth("elements", {"1": TopicTruth("1", ("a\x00",), np.ones(1), path=("/a[1]",))})
    )
    assert InexAssessments.accepts(Truth("spans", {})) and InexAssessments.accepts(None)


# Submissions


def test_submission_is_ordered_by_rank(tmp_path: Path) -> None:
    run = formats.read_run(put(tmp_path, SUBMISSION))
    assert run.format == "inex-submission" and run.tag == "mine" and run.ordering.task == "focused"
    assert run.topics == ("289", "290") and run.ordering.duplicates == "error" and run.ordering.ties == "rank"
    ranking = run.ranking("289")
    assert ranking.names_by_rank() == ["101/article[1]/p[3]", "100/article[1]/sec[2]"]
    assert ranking.line is not None and ranking.line.tolist() == [9, 8]
    assert ranking.score is not None and ranking.score.tolist() == [0.95, 0.9]
    assert run.ranking("290").rank.tolist() == [0]


def test_submission_ordered_by_score_or_file(tmp_path: Path) -> None:
    results = "".join(
        result(f"<path>/p[{i}]</path><rsv>{score}</rsv>") for i, score in ((1, ".5"), (2, "2e1"), (3, "1"))
    )
    run = formats.read_run(put(tmp_path, submission(results)))
    assert run.ranking("1").names_by_rank() == ["a/p[2]", "a/p[3]", "a/p[1]"] and run.ordering.ties == "score"
    results = "".join(result(f"<path>/p[{i}]</path>") for i in (3, 1, 2))
    run = formats.read_run(put(tmp_path, submission(results)))
    assert run.ranking("1").names_by_rank() == ["a/p[3]", "a/p[1]", "a/p[2]"]
    assert run.score is None and run.ordering.task == "" and run.ordering.ties == "none"


def test_equal_ranks_are_tied(tmp_path: Path) -> None:
    results = "".join(result(f"<path>/p[{i}]</path><rank>{rank}</rank>") for i, rank in ((1, 4), (2, 2), (3, 4)))
    run = formats.read_run(put(tmp_path, submission(results)))
    assert run.ranking("1").names_by_rank() == ["a/p[2]", "a/p[1] + a/p[3]"]


def test_passages_and_characters(tmp_path: Path) -> None:
    results = result('<passage start="/a[1]/text()[1].5" end="/a[1]/p[2]"/>') + result("<path>/a[1]/p[3]</path>")
    run = formats.read_run(put(tmp_path, submission(results)))
    assert run.ranking("1").names_by_rank() == ["a/a[1]/text()[1].5../a[1]/p[2]", "a/a[1]/p[3]"]
    results = result('<fol offset="10" length="5"/>') + result('<fol offset="X" length="X"/>') * 2
    run = formats.read_run(put(tmp_path, submission(results)))
    assert run.ranking("1").names_by_rank() == ["a#10-15", "a#-18-0", "a#-36--18"] and len(run.notes) == 1
    run = formats.read_run(put(tmp_path, submission(result('<fol offset="10"/>'), 'task="BestInContext"')))
    assert run.ranking("1").names_by_rank() == ["a#10-10"] and run.ordering.task == "best-in-context"


def test_results_grouped_by_document(tmp_path: Path) -> None:
    several = "<result><file>b</file><path>/p[1]</path><path>/p[2]</path><rank>2</rank></result>"
    group = "<article><file>c</file>" + "".join(
        f"<result><path>/p[{i}]</path><rank>{i}</rank></result>" for i in (3, 4)
    )
    named = '<article file="d"><result><path>/p[5]</path><rank>5</rank></result></article>'
    run = formats.read_run(put(tmp_path, submission(several + group + "</article>" + named)))
    assert run.ranking("1").names_by_rank() == ["b/p[1] + b/p[2]", "c/p[3]", "c/p[4]", "d/p[5]"]


@pytest.mark.parametrize(
    ("word", "task"),
    [
        ("Thorough", "thorough"),
        ("Focused", "focused"),
        ("RelevantInContext ", "relevant-in-context"),
        ("AllInContext", "relevant-in-context"),
        ("BestInContext", "best-in-context"),
        ("CO.Thorough", "thorough"),
        ("CO.Focussed", "focused"),
        ("COS.Thorough", "thorough"),
        ("CO+S.Focused", "focused"),
        ("CO.FetchBrowse", "fetch-browse"),
        ("Best in Context", "best-in-context"),
        ("CO", "co"),
        ("CAS", "cas"),
        ("SCAS", "cas"),
        ("VCAS", "cas"),
        ("VVCAS", ""),
        ("", ""),
    ],
)
def test_tasks(word: str, task: str) -> None:
    assert task_in_our_words(word) == task


def test_tasks_of_2002_to_2004_are_known(tmp_path: Path) -> None:
    """No note, written as it was read, evaluated as thorough and as nothing else."""
    grades = '<path path="/p[1]" exhaustiveness="3" specificity="3"/>'
    truth = f'<assessments topic="TOPIC"><file file="a">{grades}</file></assessments>'
    for word in ("CO", "CAS"):
        text = submission(result("<path>/p[1]</path>"), f'task="{word}"')
        run = formats.read_run(put(tmp_path, text, "run.xml"))
        assert run.ordering.task == word.lower() and run.notes == ()
        assert f'task="{word}"' in written(InexSubmission, run)
        judged = put(tmp_path, truth.replace("TOPIC", run.topics[0]), "truth.xml")
        assert bp.score("MAep", judged, tmp_path / "run.xml", task="thorough") is not None
        with pytest.raises(InputError, match=f"the run is for task {word.lower()}, not focused") as refused:
            bp.score("MAep", judged, tmp_path / "run.xml", task="focused")
        assert "task='thorough'" in str(refused.value), "a task that can be asked for"


def test_unknown_task_is_a_note(tmp_path: Path) -> None:
    run = formats.read_run(put(tmp_path, submission(result("<path>/p[1]</path>"), 'task="VVCAS"')))
    assert run.ordering.task == "" and run.notes == ("unknown task VVCAS",)


@pytest.mark.parametrize(
    ("results", "what"),
    [
        ("<result><path>/p[1]</path><rank>2</rank></result>", "has no file"),
        (result("<rank>2</rank>"), "has no path, passage or fol"),
        (result("<path>p[1]</path><rank>2</rank>"), "'p[1]' is not a path"),
        (result("<path>/p[1]</path><rank>first</rank>"), "the rank is 'first', expected a whole number"),
        (result("<path>/p[1]</path><rank>-1</rank>"), "the rank is '-1'"),
        (result("<path>/p[1]</path><rank>1.5</rank>"), "the rank is '1.5'"),
        (result("<path>/p[1]</path>"), "only some results have <rank>"),
        (result('<fol offset="1" length="2"/><rank>2</rank>'), "has offsets, the first one (line 3) has paths"),
        (result('<fol offset="-2" length="2"/><rank>2</rank>'), "the offset is not a whole number"),
        (result('<fol offset="2" length="two"/><rank>2</rank>'), "the length is not a whole number"),
        (result('<passage start="/p[1]"/><rank>2</rank>'), "the end is not a point in a document"),
        (result('<passage start="/p[2]" end="/p[1]"/><rank>2</rank>'), "the passage ends before it starts"),
        ("<result><file>a<b/></file><path>/p[1]</path><rank>2</rank></result>", "<file> contains more than text"),
    ],
)
def test_submissions_that_are_wrong(tmp_path: Path, results: str, what: str) -> None:
    path = put(tmp_path, submission(result("<path>/q[1]</path><rank>1</rank>") + results))
    with pytest.raises(InputError) as error:
        formats.read_run(path)
    assert error.value.line == 4 and what in str(error.value)
    problems = Problems(path, strict=False)
    assert InexSubmission.read(path, problems).size() == 1 and problems.found


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("<inex-submission>\n<topic><result/></topic></inex-submission>", 2, "no topic-id"),
        (
            '<inex-submission><topic topic-id="1"/>\n<topic topic-id="1"/></inex-submission>',
            2,
            "duplicate topic 1, first in line 1",
        ),
        (submission(result("<path>/p[1]</path><rsv>high</rsv>")), 3, "the rsv is 'high'"),
        ("<other/>", None, "holds no <inex-submission>"),
    ],
)
def test_submissions_wrong_as_a_whole(tmp_path: Path, text: str, line: int | None, what: str) -> None:
    with pytest.raises(InputError, match=what) as error:
        formats.read_run(put(tmp_path, text), "inex-submission")
    assert error.value.line == line


def test_submission_with_ranks_needs_no_scores(tmp_path: Path) -> None:
    results = result("<path>/p[1]</path><rank>1</rank><rsv>NaN</rsv>") + result("<path>/p[2]</path><rank>2</rank>")
    problems = Problems("x")
    run = InexSubmission.read(put(tmp_path, submission(results)), problems)
    assert run.score is None and run.size() == 2 and not problems.counts
    results += result("<path>/p[3]</path><rank>3</rank><rsv>1</rsv>")
    assert InexSubmission.read(put(tmp_path, submission(results)), problems).score is None
    assert problems.counts == {"results without a usable rsv, which is not needed": 2}


def test_duplicates_are_an_error_with_both_lines(tmp_path: Path) -> None:
    path = put(
        tmp_path, submission(result("<path>/p[1]</path><rank>1</rank>") + result("<path>/p[1]</path><rank>2</rank>"))
    )
    truth = put(tmp_path, FIGURE_2, "truth.xml")
    found = CliRunner().invoke(cli, ["check", path, truth])
    assert found.exit_code == 2
    assert f"{path}:4: a/p[1] is retrieved twice for topic 1, first in line 3" in found.output
    assert "inex-assessments, 1 topic, 1 judged document, 2 elements, 2 relevant" in found.output


def same(one: Run, other: Run) -> None:
    assert one.topics == other.topics and one.tag == other.tag and one.ordering.task == other.ordering.task
    assert list(one.documents) == list(other.documents)
    for (_, ours), (_, theirs) in zip(one.rankings(), other.rankings(), strict=True):
        assert ours.names_by_rank() == theirs.names_by_rank()
        assert (ours.score is None) == (theirs.score is None)
        assert ours.score is None or (theirs.score is not None and ours.score.tolist() == theirs.score.tolist())


@pytest.mark.parametrize(
    "rows",
    [
        "1 Q0 a 1 9.5 t 5 10\n1 Q0 b 2 8.0 t X X\n2 Q0 a 1 7.0 t 0 3\n",
        "1 Q0 a 1 9.5 t /article[1]/p[2]\n2 Q0 b 1 8.0 t /article[1]\n",
        "1 Q0 a 1 9.5 t /article[1]/p[2] /article[1]/p[4]\n",
        "1 Q0 a 1 9.5 t 77\n1 Q0 b 2 8.0 t X\n",
    ],
)
def test_text_to_submission_and_back(tmp_path: Path, rows: str) -> None:
    source, middle, last = put(tmp_path, rows, "run.txt"), str(tmp_path / "run.xml"), tmp_path / "again.run"
    for step in ([source, middle], [middle, str(last), "--to", "inex-fol-run"]):
        done = CliRunner().invoke(cli, ["convert", *step])
        assert done.exit_code == 0, done.output
    assert last.read_text() == rows
    same(formats.read_run(source), formats.read_run(middle))
    assert formats.read_run(middle).format == "inex-submission"


@pytest.mark.slow
@given(
    st.dictionaries(
        names,
        st.lists(
            st.tuples(names, element_paths, st.integers(0, 3), st.floats(allow_nan=False, allow_infinity=False)),
            min_size=1,
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["", "thorough", "focused", "relevant-in-context", "best-in-context", "fetch-browse"]),
)
def test_submission_round_trip(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[str, list[tuple[str, str, int, float]]], task: str
) -> None:
    flat = [(topic, *row) for topic, found in rows.items() for row in found]
    run = assemble(
        tag="r & <s>",
        topic=[row[0] for row in flat],
        document=[row[1] for row in flat],
        path=[row[2] for row in flat],
        rank=np.array([row[3] for row in flat], dtype=np.float64),
        score=np.array([row[4] for row in flat], dtype=np.float64),
        order="rank",
        task=task,
    )
    again = formats.read_run(put(tmp_path_factory.mktemp("run"), written(InexSubmission, run)))
    assert list(again.paths) == list(dict.fromkeys(run.paths[code] for code in run.path.tolist()))  # type: ignore[union-attr]
    assert again.rank.tolist() == run.rank.tolist() and again.bounds.tolist() == run.bounds.tolist()
    assert again.ordering.task == task and again.tag == run.tag
    assert again.score is not None and run.score is not None and again.score.tolist() == run.score.tolist()
    for (_, ours), (_, theirs) in zip(run.rankings(), again.rankings(), strict=True):
        assert ours.names_by_rank() == theirs.names_by_rank()


def test_runs_that_submissions_cannot_hold() -> None:
    assert "whole documents" in InexSubmission.accepts(assemble(tag="t", topic=["1"], document=["a"]))
    spans = assemble(tag="t", topic=["1"], document=["a"], start=np.array([0.5]), end=np.array([1.0]))
    assert "whole numbers" in InexSubmission.accepts(spans)
    bad = assemble(tag="t", topic=["1"], document=["a\x07"], start=np.array([0]), end=np.array([1]))
    assert "cannot be written in XML" in InexSubmission.accepts(bad)
    tied = assemble(
        tag="t", topic=["1"] * 2, document=["a"] * 2, path=["/a[1]", "/a[2]"], rank=np.ones(2), order="rank"
    )
    assert InexSubmission.accepts(tied) == "" and InexFolRun.accepts(tied) != ""


# XML from anywhere

LAUGHS = "".join(f"<!ENTITY a{i} '{('&a' + str(i - 1) + ';') * 10}'>\n" for i in range(1, 10))
LAUGHS = f"<!DOCTYPE x [\n<!ENTITY a0 'lol'>\n{LAUGHS}]>\n"


@pytest.mark.parametrize(
    ("form", "body"),
    [
        (
            "inex-submission",
            "<inex-submission><topic topic-id='1'><result><file>&a9;</file></result></topic></inex-submission>",
        ),
        ("inex-submission", "<inex-submission run-id='&a9;'></inex-submission>"),
        ("inex-submission", "<inex-submission run-id='&a1;'></inex-submission>"),
        ("inex-assessments", "<assessments topic='&a9;'></assessments>"),
        ("inex-assessments", "<assessments topic='1'><file name='x'>&a9;</file></assessments>"),
    ],
)
def test_entities_are_refused(tmp_path: Path, form: str, body: str) -> None:
    path = put(tmp_path, '<?xml version="1.0"?>\n' + LAUGHS + body)
    tracemalloc.start()
    with pytest.raises(InputError, match="declares entities") as error:
        formats.read_any(path, None, form)
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()
    assert error.value.path == path and error.value.line == 3
    problems = Problems(path, strict=False)
    formats.by_name(form).read(path, problems)
    assert len(problems.found) == 1


@pytest.mark.parametrize("entity", ['<!ENTITY x SYSTEM "{}">', '<!ENTITY % y SYSTEM "{}"> %y;'])
def test_nothing_is_fetched(tmp_path: Path, entity: str) -> None:
    secret = put(tmp_path, '<!ENTITY x "secret">', "secret.txt")
    declared = f"<!DOCTYPE inex-submission [{entity.format(Path(secret).as_uri())}]>\n"
    path = put(tmp_path, declared + submission("<result><file>&x;</file><path>/p[1]</path></result>"))
    with pytest.raises(InputError, match="declares entities") as error:
        formats.read_run(path)
    assert 'secret"' not in str(error.value)


def test_external_dtd_is_not_loaded(tmp_path: Path) -> None:
    put(tmp_path, '<!ENTITY x "secret">', "inex.dtd")
    declared = '<!DOCTYPE inex-submission SYSTEM "inex.dtd">\n'
    path = put(tmp_path, declared + submission("<result><file>a&x;</file><path>/p[1]</path></result>"))
    with pytest.raises(InputError, match="<file> contains more than text"):
        formats.read_run(path)
    problems = Problems("x")
    path = put(tmp_path, declared + "<inex-submission><description>&x;</description></inex-submission>")
    assert InexSubmission.read(path, problems).size() == 0
    assert problems.counts == {"references to undefined entities, ignored": 1}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("<inex-submission>\n<topic topic-id='1'>\n</inex-submission>", 3, "mismatch"),
        ("<inex-submission>\n<topic topic-id='1'>\n", 3, "Premature end"),
        ("<inex-submission>\n<a>&nosuch;</a></inex-submission>", 2, "Entity 'nosuch' not defined"),
        ("<inex-submission>\n\x00</inex-submission>", 2, "Char 0x0"),
        ("<inex-submission>" + "\n<a>" * 1000 + "</a>" * 1000 + "</inex-submission>", 257, "depth"),
        ("<inex-submission>\n" + "x" * 11_000_000 + "</inex-submission>", 2, "too long"),
        ("", None, "no element found"),
    ],
)
def test_broken_xml_is_one_error_with_its_line(tmp_path: Path, text: str, line: int | None, what: str) -> None:
    path = put(tmp_path, text)
    with pytest.raises(InputError, match="not well-formed") as error:
        formats.read_run(path, "inex-submission")
    assert what in str(error.value) and error.value.line == line
    problems = Problems(path, strict=False)
    InexSubmission.read(path, problems)
    assert len(problems.found) == 1


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "UTF-16", "windows-1252", "UTF-8"])
def test_declared_encodings(tmp_path: Path, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n' + submission(
        "<result><file>Müller</file><path>/p[1]</path></result>", 'run-id="né"'
    )
    path = put(tmp_path, gzip.compress(text.encode(encoding)))
    run = formats.read_run(path)
    assert run.tag == "né" and list(run.documents) == ["Müller"]


def test_damaged_gzip(tmp_path: Path) -> None:
    whole = gzip.compress(submission(result("<path>/p[1]</path>")).encode())
    path = put(tmp_path, whole[:-12], "run.xml.gz")
    with pytest.raises(InputError, match="gzip file ends early"):
        formats.read_run(path, "inex-submission")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (SUBMISSION, "inex-submission"),
        (Y2006, "inex-assessments"),
        (Y2003, "inex-assessments"),
        (FIGURE_2, "inex-assessments"),
        ("<!-- long\n" * 15 + "-->\n" + FIGURE_2, "inex-assessments"),
        ("<all>\n" + FIGURE_2 + "</all>", "inex-assessments"),
        (submission("x" * 5_000_000), "inex-submission"),
        ("<!DOCTYPE assessments [\n" + "\n" * 9 + "]>" + FIGURE_2, "inex-assessments"),
    ],
)
def test_sniffing(tmp_path: Path, text: str, name: str) -> None:
    path = put(tmp_path, text)
    assert formats.sniff(path).name() == name
    role: Any = formats.by_name(name).role
    other: Any = "run" if role == "truth" else "truth"
    with pytest.raises(InputError, match=f"looks like {name}"):
        formats.sniff(path, other)


@pytest.mark.slow
def test_many_results_stream(tmp_path: Path) -> None:
    count, path = 200_000, tmp_path / "big.xml"
    with path.open("w") as out:
        out.write('<inex-submission run-id="big" task="Thorough">\n<topic topic-id="1">\n')
        for i in range(count):
            place = f"<path>/article[1]/bdy[1]/sec[{i % 40 + 1}]</path>"
            out.write(
                f"<result>\n<in>w</in><file>{i // 40}</file>\n{place}\n<rank>{i}</rank><rsv>{-i}</rsv>\n</result>\n"
            )
        out.write("</topic>\n</inex-submission>\n")
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    peak, *found = json.loads(done.stdout)
    assert found == [count, 40, count, [3, 100_003, 999_998]]
    # The columns and what makes them take about 40 MB; the tree of these results would take 400 more.
    assert peak < 120e6


#: Prints how many bytes more a process takes at most while it reads a run, and what it has read.
PEAK = """
import json, resource, sys, lxml.etree
from berrypick import formats
formats.registered()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
run = formats.read_run(sys.argv[1])
unit = 1 if sys.platform == "darwin" else 1024
peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit
lines = run.line[[0, 20_000, 199_999]].tolist()
print(json.dumps([peak, run.size(), len(run.paths), run.ranking("1").ranks, lines]))
"""
