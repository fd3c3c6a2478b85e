"""Completion as a shell asks for it."""

from __future__ import annotations

import os

import pytest


def completed(process, words: str, last: str) -> list[str]:
    """What bash is offered after words, for the beginning of the last one."""
    line = f"berrypick {words} {last}"
    env = {
        **os.environ,
        "_BERRYPICK_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(f"berrypick {words}".split())),
    }
    outcome = process(env=env)
    return outcome.out.splitlines()


@pytest.mark.parametrize(
    ("words", "last", "offered"),
    [
        ("", "eval", "plain,evaluate"),
        ("evaluate", "tru", "file,tru"),
        ("evaluate t.qrels r.run -m", "EPR", "plain,EPRUM"),
        ("evaluate t.qrels r.run --user", "hier", "plain,hierarchy"),
        ("evaluate t.qrels r.run --navigation", "cl", "file,cl"),
        ("evaluate t.qrels r.run --format-run", "trec-r", "plain,trec-run"),
        ("evaluate t.qrels r.run --protocol", "inex2006", "plain,inex2006"),
        ("compare t.qrels r.run --test", "rand", "plain,randomisation"),
        ("compare t.qrels r.run --fail-under", "charR", "plain,charR"),
        ("compare t.qrels r.run --cluster", "fi", "file,fi"),
        ("convert in.run out.jsonl --from", "trec-r", "plain,trec-run"),
        ("report t.qrels r.run --readers", "t2", "plain,t2i"),
        ("show measure", "spanN", "plain,spanNDCG"),
        ("show user", "bep", "plain,bep"),
    ],
)
def test_names_and_files_are_offered(process, words, last, offered):
    assert offered in completed(process, words, last)


def test_the_last_of_several_measures_is_completed():
    from berrypick.cli.completion import _words

    assert [item.value for item in _words(["EPRUM", "PRUM"], "nxCG@10 EP")] == ["nxCG@10 EPRUM"]
