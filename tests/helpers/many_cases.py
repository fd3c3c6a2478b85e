"""Many small cases in one test: to collect, set up and report an item costs more than what most of them check."""

from __future__ import annotations

import functools
import inspect
import os
import pkgutil
import traceback
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

import pytest


def each(names: str | Sequence[str], cases: Iterable[Any], ids: Callable[[Any], str] | Sequence[str] = str) -> Any:
    """As ``pytest.mark.parametrize``, but one test calls the function for all cases, and tells of all that fail.

    ``tmp_path`` is a folder of its own for each case; other fixtures are shared by them. ``BERRYPICK_CASES`` names the
    only ones that are called, where a test has some of them.
    """
    names = [names] if isinstance(names, str) else list(names)
    cases = list(cases)
    assert cases, "a test without cases proves nothing"
    labels = [ids(case) for case in cases] if callable(ids) else list(ids)
    if chosen := {*os.environ.get("BERRYPICK_CASES", "").split()} & {*labels}:
        cases = [case for label, case in zip(labels, cases, strict=True) if label in chosen]
        labels = [label for label in labels if label in chosen]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            failures = []
            for number, (label, case) in enumerate(zip(labels, cases, strict=True)):
                given = dict(zip(names, [case] if len(names) == 1 else case, strict=True))
                if "tmp_path" in fixtures:
                    given["tmp_path"] = fixtures["tmp_path"] / f"case{number}"
                    given["tmp_path"].mkdir()
                try:
                    test(**{**fixtures, **given})
                except (Exception, pytest.fail.Exception):
                    failures.append(f"--- {label}\n{traceback.format_exc()}")
            if failures:
                told = "\n".join(failures[:20])
                pytest.fail(f"{len(failures)} of {len(cases)} cases failed\n{told}", pytrace=False)

        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in names]
        run.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return run

    return decorate


def at_length(few: int, many: int) -> int:
    """How much of a generated input is tried: `few` in every run, and `many` under ``make fuzz``."""
    return many if os.environ.get("BERRYPICK_FAULTS") else few


def modules_below(package):
    """The public modules of a package and of its families, without those that only help."""
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        name = info.name.rpartition(".")[2]
        if info.ispkg and not name.startswith("_"):
            yield from modules_below(import_module(info.name))
        elif not info.ispkg and not name.startswith("_"):
            yield info.name
