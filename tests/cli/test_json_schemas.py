"""Schemas of JSON output: real outputs of every command agree with them, and a key that is not listed does not."""

import json
import shlex

import click
import pytest
from many_cases import each

from berrypick.cli import cli
from berrypick.cli.flags import OutputType
from berrypick.cli.json_schemas import names, schema_of

jsonschema = pytest.importorskip("jsonschema", reason="schemas of JSON output: jsonschema comes with Altair")

#: Commands in the folder that ``berrypick demo --copy FOLDER --all`` writes.
COMMANDS = """
evaluate handbook.jsonl small.jsonl -m charR@3 -q
evaluate handbook.jsonl small.jsonl -m 'charR@3 Coverage(budget=200)' --curves
evaluate shop/truth.jsonl shop/small.jsonl -m charR@3 --by kind -q
evaluate few/people.jsonl few/new.jsonl --model-truth few/model.jsonl -m charR@3 --documents few/texts.jsonl
evaluate campaign/highlighted.qrels campaign/runs/entries.run -m EPRUM --user bep --collection campaign/collection
compare handbook.jsonl small.jsonl large.jsonl -m charR@3 --fail-if-worse small --resamples 200
compare handbook.jsonl small.jsonl -m charR@3 --resamples 200
compare shop/truth.jsonl shop/small.jsonl shop/large.jsonl -m charR@3 --by kind --resamples 200
compare handbook.jsonl small.jsonl large.jsonl -m IoU@3 --ledger l.jsonl --resamples 200
compare shop/truth.jsonl shop/small.jsonl shop/large.jsonl -m IoU@3 --cluster doc --test t --resamples 200
compare handbook.jsonl small.jsonl large.jsonl -m charR@3 --assumptions --resamples 200
compare answers.qrels mine.run other.run -m EPRUM --over 'hyperlink(follow=.1..1)' --navigation links.tsv
diagnose truth.jsonl 100.jsonl 400.jsonl --documents texts
diagnose why/truth.jsonl why/first.jsonl why/reranked.jsonl --stages --documents chunks/texts --quotes normalised
diagnose shop/truth.jsonl shop/small.jsonl --by kind
check --laws truth.jsonl 100.jsonl -m charR@3 --variants 1
check --track campaign/track.toml track/broken.run
history l.jsonl
diff before.json after.json
fit t2i reading.jsonl
simulate answers.qrels mine.run other.run -m 'EPRUM(r=1)' --navigation clicks.tsv --readers 100 -q
ideal answers.qrels -m 'EPRUM epnav' --navigation clicks.tsv
stability handbook.jsonl small.jsonl large.jsonl overlap.jsonl -m charR@3 --splits 20 --resamples 200
power handbook.jsonl small.jsonl large.jsonl -m charR@3 --detect 0.03 --resamples 200
abstention answers.jsonl answering.jsonl
nuggets nuggets/stated.jsonl nuggets/retrieved.jsonl --assigned nuggets/assigned.jsonl
conformance --tool berrypick
list measures
list formats
list protocols
list commands
list papers
show charR
show t2i
show trec-run
show inex2010
show agents/agent.json
"""
#: These need files that other commands make, or a minute; they are tried elsewhere or have the rows of another command.
ELSEWHERE = {"correlate", "sweep"}


def valid(name, value):
    jsonschema.Draft202012Validator(schema_of(name)).validate(value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from click.testing import CliRunner

    path = tmp_path_factory.mktemp("schemas") / "examples"
    assert CliRunner().invoke(cli, ["demo", "--copy", str(path), "--all"]).exit_code == 0
    return path


def words_of(line):
    return shlex.split(line)


@pytest.mark.slow
def test_real_outputs_agree_with_their_schemas(folder, monkeypatch, berrypick):
    monkeypatch.chdir(folder)
    seen = set()
    for line in COMMANDS.strip().splitlines():
        words = words_of(line)
        done = berrypick(*words, "-o", "json")
        assert done.out, (line, done.err)
        value = json.loads(done.out)
        assert value, line
        valid(words[0], value)
        with pytest.raises(jsonschema.ValidationError):
            valid(words[0], [{"surprise": 1}])
        seen.add(words[0])
    assert seen | ELSEWHERE | {"error"} == {*names()}


@each("line", ["list users", "list commands", "show charR", "ideal answers.qrels", "evaluate answers.qrels mine.run"])
def test_some_outputs_agree_with_their_schemas(folder, monkeypatch, berrypick, line):
    monkeypatch.chdir(folder)
    valid(line.split()[0], json.loads(berrypick(*words_of(line), "-o", "json").out))


def test_every_command_with_json_has_a_schema():
    context = click.Context(cli)
    able = {
        name
        for name in cli.list_commands(context)
        for one in cli.get_command(context, name).params
        if isinstance(one.type, OutputType) and "json" in one.type.choices
    }
    assert able - {*names()} == set() and {*names()} - able == {"error"}


def test_errors_agree_with_their_schema(tmp_path, berrypick):
    for words in (["evaluate", "none.qrels", "none.run"], ["evaluate"], ["evaluat", "a", "b"]):
        done = berrypick(*words, "-o", "json")
        assert done.code == 2 and not done.out
        valid("error", json.loads(done.err.splitlines()[-1]))


def test_show_prints_a_schema(berrypick):
    found = json.loads(berrypick("show", "schema", "evaluate").out)
    jsonschema.Draft202012Validator.check_schema(found)
    assert found["items"]["required"] == ["run", "topic", "measure", "value", "signature"]
    refused = berrypick("show", "schema", "plot")
    assert refused.code == 2 and "show schema takes one of evaluate, compare" in refused.err
