"""Versions and checksums of protocols: the same in every process, another one for every change of a rule."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import fields, replace

import pytest
from many_cases import each

import berrypick as bp
from berrypick.evaluation.protocols.base import OWN, Protocol, Task, _not_a_protocol, get_protocol, protocols

#: Version and checksum of every protocol. Whoever changes a rule gives the protocol a new version here and there.
PUBLISHED = {
    "bbox-docvqa": ("1", "199b50960220"),
    "chunking-evaluation": ("1", "d69510c4e36e"),
    "ego4d-nlq": ("1", "a550cfa45d5f"),
    "fever": ("1", "1a78d198744f"),
    "fever-labels": ("1", "9cf9022b8a1a"),
    "genomics2007": ("1", "d51d3f7464a2"),
    "inex2006": ("1", "3dc6076f3af3"),
    "inex2010": ("1", "f1779fd8a87c"),
    "kilt": ("1", "d635b3b14226"),
    "legalbench-rag": ("1", "48687c8f692e"),
    "mediaeval2014": ("1", "e2fe090eef48"),
    "mmdocir": ("1", "748c5754be4f"),
    "qvhighlights": ("1", "c02377127873"),
    "scifact": ("1", "c2e34e05d215"),
    "scifact-labels": ("1", "0c8e42f4df5f"),
    "trec-rag": ("1", "c6052495863c"),
    "tvr": ("1", "33407b7b79b8"),
}
TASK = Task("focused", "AiP", ("no-overlap",), "drop-overlap", ("co",))
SAMPLE = Protocol(
    "sample", "a campaign", {"focused": "AiP"}, "judged", 1500, ("a", "b"), "AP", frozenset({"beta-1"}), (TASK,), "3"
)
#: The rules of the sample as JSON, written by hand.
BY_HAND = (
    '{"default":"AP","ignore_elements":["a","b"],"longest":1500,"measures":{"focused":"AiP"},"rules":["beta-1"],'
    '"tasks":{"focused":{"also":["co"],"measures":"AiP","name":"focused","repair":"drop-overlap",'
    '"rules":["no-overlap"]}},"topics":"judged"}'
)
CHANGES = {
    "measures": [{"focused": "AgP"}, {}, {"thorough": "AiP"}],
    "topics": ["run"],
    "longest": [None, 1501],
    "ignore_elements": [(), ("a",)],
    "default": ["", "AP RR"],
    "rules": [frozenset(), frozenset({"beta-1", "empty-is-one"})],
    "tasks": [(), (replace(TASK, measures="AP"),), (replace(TASK, rules=()),), (replace(TASK, repair=""),),
              (replace(TASK, also=()),), (replace(TASK, name="other"),)],
}  # fmt: skip


def test_rules_of_published_versions_do_not_change():
    assert {name: (one.version, one.checksum) for name, one in protocols.all().items()} == PUBLISHED


def test_the_checksum_is_that_of_canonical_json():
    assert SAMPLE.canonical() == BY_HAND
    assert SAMPLE.checksum == hashlib.sha256(BY_HAND.encode()).hexdigest()[:12]


def test_every_changed_rule_changes_the_checksum():
    described = {"name", "what", "version"}
    assert {one.name for one in fields(Protocol)} == CHANGES.keys() | described
    others = [replace(SAMPLE, **{field: value}) for field, values in CHANGES.items() for value in values]
    sums = [SAMPLE.checksum, *(one.checksum for one in others)]
    assert len(set(sums)) == len(sums)
    assert {replace(SAMPLE, **{field: "x"}).checksum for field in described} == {SAMPLE.checksum}


@pytest.mark.slow
def test_the_checksum_is_the_same_in_every_process():
    """Sets have another order in each."""
    code = "from berrypick.evaluation.protocols.base import get_protocol as g; print(g('inex2010').checksum)"
    for seed in ("0", "1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True
        )
        assert done.stdout.strip() == PUBLISHED["inex2010"][1]


def test_signatures_state_version_and_checksum():
    results = bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP", protocol="genomics2007")
    signature = results.mean_rows[0].signature
    assert [signature[key] for key in ("protocol", "protocol-version", "protocol-sum")] == [
        "genomics2007", *PUBLISHED["genomics2007"]
    ]  # fmt: skip
    plain = bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP").mean_rows[0].signature
    assert "protocol" not in str(plain) and OWN.signed == []


@each("version", ["", "1|2", "a,b", 2, None, "a:b", "1\n"])
def test_a_version_fits_into_a_signature(version):
    assert "version" in _not_a_protocol(replace(SAMPLE, version=version))


def test_list_and_show_have_version_and_checksum(berrypick):
    version, checksum = PUBLISHED["inex2010"]
    [row] = [line for line in berrypick("list", "protocols").out.splitlines() if line.startswith("inex2010 ")]
    assert row.split()[:3] == ["inex2010", version, checksum]
    listed = json.loads(berrypick("list", "protocols", "-o", "json").out)
    assert {one["name"]: (one["version"], one["checksum"]) for one in listed} == PUBLISHED
    for arguments in (["inex2010"], ["protocol", "inex2010"]):
        lines = berrypick("show", *arguments).out.splitlines()
        assert [line.split()[1] for line in lines if line.startswith(("version", "checksum"))] == [version, checksum]
        [shown] = json.loads(berrypick("show", *arguments, "-o", "json").out)
        assert (shown["kind"], shown["version"], shown["checksum"]) == ("protocol", version, checksum)
        assert shown["rules"] == sorted(get_protocol("inex2010").rules)


def test_every_protocol_is_shown(berrypick):
    for name, one in protocols.all().items():
        out = berrypick("show", "protocol", name).out
        assert out.startswith(f"{name}: {one.what}") and all(rule in out for rule in one.rules)


@each(
    ("words", "message"),
    [
        (["inex2011"], "no measure, user model, format or protocol is called inex2011; did you mean inex20"),
        (["protocol", "inex201"], "unknown protocol inex201; did you mean inex2010"),
        (["format", "x", "y"], "show takes a name, and before it one of measure, user, format, protocol"),
        (["charR("], "no measure, user model, format or protocol is called charR("),
    ],
)  # fmt: skip
def test_unknown_names_are_refused(berrypick, words, message):
    done = berrypick("show", *words)
    assert done.code == 2 and done.err.startswith(f"berrypick: {message}")


def test_a_name_of_two_kinds_is_shown_for_both(berrypick):
    shown = json.loads(berrypick("show", "fever", "-o", "json").out)
    assert [one["kind"] for one in shown] == ["format", "protocol"]
    both = [berrypick("show", kind, "fever").out for kind in ("format", "protocol")]
    assert berrypick("show", "fever").out == "\n".join(both)


def test_a_name_alone_finds_measures_users_and_formats(berrypick):
    for kind, name in (("measure", "EPRUM"), ("user", "hierarchy"), ("format", "trec-run"), ("measure", "ndcg_cut_10")):
        assert berrypick("show", name).out == berrypick("show", kind, name).out
        [shown] = json.loads(berrypick("show", name, "-o", "json").out)
        assert shown["kind"] == kind and shown["text"].startswith(f"{shown['name']}: ")
