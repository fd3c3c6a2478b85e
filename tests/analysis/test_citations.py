"""References of results."""

import re
from pathlib import Path

import pytest

import berrypick as bp
from berrypick.cli import main
from berrypick.data.references import entries

ROOT = Path(__file__).parents[2]
TRUTH, RUN = {"q": {"a": 1, "b": 1}}, {"q": {"b": 2.0, "c": 1.0}}


def cited(text: str) -> dict[str, str]:
    """What each key is cited for."""
    return {key: uses for uses, key in re.findall(r"^% (.+)\n@\w+\{([^,]+),", text, re.MULTILINE)}


def test_measures_user_models_and_software_are_cited():
    found = bp.bibtex(bp.evaluate(TRUTH, RUN, "RR AP P@1 IPrec@0.5", user="t2i(tolerance=3)"))
    assert cited(found) == {
        "berrypick": "software",
        "kantor2000confusion": "RR",
        "buckley2005retrieval": "AP, P",
        "macavaney2022irmeasures": "IPrec",
    }
    assert f"version = {{{bp.__version__}}}" in found and found.count("version = ") == 1
    with_reader = bp.bibtex(bp.evaluate(TRUTH, RUN, "EPRUM(user='distance')"))
    assert cited(with_reader)["piwowarski2006eprum"] == "EPRUM, user distance"
    assert cited(with_reader)["piwowarski2007prum"] == "user distance"


def test_models_inside_models_are_cited():
    results = bp.evaluate(TRUTH, RUN, "EPRUM(user='fetch_browse(of=\"distance\")')")
    assert "user distance" in cited(bp.bibtex(results))["piwowarski2007prum"]


def test_what_has_no_reference_is_named():
    class Unheard(bp.Measure):
        """A measure of nobody."""

        def compute(self, topic):
            return 1.0

    found = bp.bibtex(bp.evaluate(TRUTH, RUN, [Unheard(), "RR"]))
    assert found.endswith("\n% no reference known: Unheard\n") and "kantor2000confusion" in cited(found)


def test_a_file_of_results_is_read(tmp_path, capsys):
    results = bp.evaluate(TRUTH, RUN, "RR")
    path = tmp_path / "results.json"
    results.save(path)
    with pytest.raises(SystemExit) as end:
        main(["show", "--bibtex", str(path)])
    assert not end.value.code
    assert capsys.readouterr().out == bp.bibtex(path) == bp.bibtex(results)
    for words, said in (
        (["show", str(path)], f"berrypick show --bibtex {path}"),
        (["show", "--bibtex", str(tmp_path / "none.json")], "no such file"),
        (["show", "measure"], "berrypick list measures"),
        (["show", "colour", "red"], "before it one of measure, user"),
    ):
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 2 and said in capsys.readouterr().err


def test_the_entry_of_the_software_is_that_of_the_citation_file():
    citation, entry = (ROOT / "CITATION.cff").read_text("utf-8"), entries()["berrypick"]
    [title] = {*re.findall(r'^\s*title: "(.+)"$', citation, re.MULTILINE)}
    [year] = re.findall(r"^date-released: (\d{4})-", citation, re.MULTILINE)
    assert f"title = {{{title}}}" in entry and f"year = {{{year}}}" in entry
    assert {*re.findall(r"^\s*doi: (\S+)$", citation, re.MULTILINE)} == {*re.findall(r"doi = \{(.+)\}", entry)}
