"""Files of campaigns in commands: entry points, seconds, judged documents, bytes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import berrypick as bp
from berrypick import formats
from berrypick.demo import campaign
from berrypick.pytest import assert_retrieval


def test_entry_points_have_no_effort_in_characters(files, berrypick):
    paths = files(truth_qrels="1 Q0 d 10 100 5 5:10\n", list_run="1 Q0 d 1 1 r 5 10\n")
    done = berrypick("evaluate", *paths.values(), "-m", "epnav", "--user", "bep", "--effort", "chars")
    assert done.code == 2 and "--effort rank" in done.err
    assert berrypick("evaluate", *paths.values(), "-m", "epnav", "--user", "bep").code == 0


CAMPAIGN = Path(bp.__file__).parent / "demo" / "campaign"


@pytest.mark.slow
def test_index_and_folder_give_the_same(berrypick, tmp_path) -> None:
    index = tmp_path / "campaign.index"
    done = berrypick("index", CAMPAIGN / "collection", index)
    assert done.code == 0, done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["campaign.index"], "nothing is left beside it"
    folder, stored = bp.read_collection(CAMPAIGN / "collection"), bp.read_collection(index)
    assert dict(stored.lengths) == dict(folder.lengths)
    for name in folder.lengths:
        one, other = folder.structures[name], stored.structures[name]
        assert one.paths == other.paths
        assert np.array_equal(one.start, other.start) and np.array_equal(one.end, other.end)
        assert np.array_equal(one.parent, other.parent)
        assert list(one.links) == list(other.links)
    measures = "nxCG@5 MAep AgP BEPD EPRUM(user='hierarchy')"
    runs = [CAMPAIGN / "runs" / "sections.xml", CAMPAIGN / "runs" / "windows.run"]
    values = [
        bp.evaluate(CAMPAIGN / "assessments.xml", runs, measures, collection=c).per_topic() for c in (folder, stored)
    ]
    assert values[0] == values[1]


MICRO = Path(__file__).parents[1] / "evaluation" / "protocols" / "inex-micro"


def test_video_formats_count_seconds(files, berrypick):
    paths = files(qrels_txt="1 Q0 v 0.10 0.20 1\n", list_run="1 Q0 v 0.0 0.30 0.0 1 9 r\n", lengths_tsv="v\t100\n")
    truth, run, lengths = paths.values()
    done = berrypick("evaluate", truth, run, "-m", "T2I", "--collection", lengths, "-o", "json")
    assert done.code == 0 and "|tolerance:15|" in json.loads(done.out)[0]["signature"], done.err


def test_consecutive_results_of_one_document_are_one_item(berrypick):
    """inex-micro's ric.run, topic 1, consider=1: one target at item 1, the second at 3, the third at 5, where an ideal
    list needs 1, 1 and 2 items; by ranks at 2, 4 and 6. (Against four single targets: .5667 instead of .375.)"""
    given = ("evaluate", f"{MICRO}/micro.qrels", f"{MICRO}/ric.run", "-q", "-m", "EPRUM nxCG@2", "-o", "json")
    items, ranks = (1 + 1 / 3 + 2 / 5) / 4, (1 / 2 + 1 / 4 + 2 / 6) / 4
    for user, expected in (("fetch_browse(consider=1)", items), ("fetch_browse(consider=1,group='rank')", ranks)):
        done = berrypick(*given, "--user", user)
        rows = {(row["topic"], row["measure"]): row["value"] for row in json.loads(done.out)}
        assert rows["1", "EPRUM"] == pytest.approx(expected, abs=5e-5)
        plain = {(row["topic"], row["measure"]): row["value"] for row in json.loads(berrypick(*given).out)}
        assert rows["1", "nxCG@2"] == plain["1", "nxCG@2"], "what no reader reads stays by rank"
    assert "no list item points to several places, so grouping has no effect" in done.err
    assert "one list item" in berrypick(*given, "--user", "fetch_browse").err


def test_names_beyond_ascii_are_not_written_into_files_of_latin_1(tmp_path):
    (tmp_path / "r.jsonl").write_text('{"topic": "1", "doc": "é", "start": 1, "end": 2}\n')
    with pytest.raises(bp.UsageError, match="beyond ASCII"):
        formats.write(formats.read_run(tmp_path / "r.jsonl"), tmp_path / "out", "genomics-run")


def test_documents_of_inex_are_judged_as_a_whole(files):
    paths = files(
        truth_qrels="1 Q0 10 20 100 0 0:20\n1 Q0 11 0 50\n",
        run_run="1 Q0 10 1 3 me 10 40\n1 Q0 11 2 2 me 0 10\n1 Q0 12 3 1 me 0 50\n",
    )
    assert bp.score("charJudged", *paths.values()) == pytest.approx(50 / 100)
    assert bp.score("Judged", *paths.values()) == pytest.approx(2 / 3)


@pytest.mark.slow
def test_elements():
    folder = Path(campaign.__file__).parent / "campaign"
    truth, run = folder / "assessments.xml", folder / "runs" / "elements.xml"
    for typed, instead in (("AP", "EPRUM"), ("P@5", "nxCG@5")):
        with pytest.warns(bp.BerrypickWarning, match=f"{instead} counts elements"):
            bp.score(typed, truth, run)
        with pytest.raises(bp.UsageError, match=f"{instead} counts elements"):
            assert_retrieval(truth, run, f"{typed} >= 0.1")
