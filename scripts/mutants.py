"""Count random mutants of the source that the tests of `make quick` kill: `make mutants N=200 SEED=1`.

A mutant is one change in the body of one function. All tests are collected once. One pass finds which of them run the
lines that were drawn; then each mutant is made in a process forked from the collected session, by exchanging the code
of the function, and gets the tests that run its line, the shortest first, until one fails. It survives where none of
the first 300 does: the share is rather too low than too high. Code that is run when a module is loaded is not mutated,
nor are texts.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import importlib
import math
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
#: How many tests one process traces.
PART = 400
#: The most tests that a mutant gets.
MOST_TESTS = 300
#: CPU seconds beside ten times what its tests take, seconds, and bytes: a mutant that takes more has died.
CPU_SECONDS, SECONDS, MEMORY = 30, 1200, 8 << 30
KILLED, SURVIVED, UNMADE = 1, 0, 3

OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
DROPPED = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Break, ast.Continue)


class Mutant:
    """One change: the number of a node of a file, and what becomes of it."""

    def __init__(self, path: str, node: int, line: int, lines: range, function: ast.FunctionDef, change: str) -> None:
        self.path, self.node, self.line, self.lines, self.change = path, node, line, lines, change
        self.name = function.name
        self.first = min([function.lineno, *(one.lineno for one in function.decorator_list)])

    def __str__(self) -> str:
        return f"{Path(self.path).relative_to(SOURCE)}:{self.line} {self.change}"

    def code(self) -> CodeType:
        """The function with the change in it."""
        tree = ast.parse(_text(self.path))
        node = list(ast.walk(tree))[self.node]
        changed = CHANGES[self.change](copy.deepcopy(node))
        for parent in ast.walk(tree):
            for field, value in ast.iter_fields(parent):
                if value is node:
                    setattr(parent, field, ast.copy_location(changed, node))
                elif isinstance(value, list):
                    value[:] = [ast.copy_location(changed, node) if one is node else one for one in value]
        module = compile(ast.fix_missing_locations(tree), self.path, "exec")
        return next(code for code in _codes(module) if (code.co_name, code.co_firstlineno) == (self.name, self.first))

    def apply(self) -> bool:
        """Exchange the code of the function in this process; False if that cannot be done."""
        importlib.import_module(_module(self.path))
        gc.unfreeze()  # else what the tests have frozen is not found
        code = self.code()
        found = [
            one
            for one in gc.get_objects()
            if isinstance(one, FunctionType)
            and one.__code__.co_filename == self.path
            and (one.__code__.co_name, one.__code__.co_firstlineno) == (self.name, self.first)
        ]
        for function in found:
            if len(function.__code__.co_freevars) != len(code.co_freevars):
                return False
            function.__code__ = code
        return bool(found)


def _exchange(node: Any) -> Any:
    if isinstance(node, ast.Compare):
        node.ops[0] = OTHER[type(node.ops[0])]()
    else:
        node.op = OTHER[type(node.op)]()
    return node


def _constant(node: Any) -> Any:
    node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    return node


def _negate(node: Any) -> Any:
    node.test = ast.UnaryOp(ast.Not(), node.test)
    return node


def _nothing(node: Any) -> Any:
    node.value = ast.Constant(None)
    return node


CHANGES: dict[str, Callable[[Any], Any]] = {
    "operator": _exchange,
    "constant": _constant,
    "condition": _negate,
    "not": lambda node: node.operand,
    "returns None": _nothing,
    "dropped": lambda node: ast.Pass(),
}


def _possible(node: ast.AST) -> Iterator[str]:
    """The changes that a node allows."""
    operators = {ast.Compare: "ops", ast.BinOp: "op", ast.AugAssign: "op", ast.BoolOp: "op"}
    found = getattr(node, operators.get(type(node), ""), None)
    if type(found[0] if isinstance(found, list) else found) in OTHER:
        yield "operator"
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        yield "constant"
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield "condition"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not"
    if isinstance(node, ast.Return) and not (node.value is None or isinstance(node.value, ast.Constant)):
        yield "returns None"
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if isinstance(node, DROPPED) and not text:
        yield "dropped"


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of the functions of a file."""
    tree = ast.parse(_text(str(path)))
    numbers = {node: number for number, node in enumerate(ast.walk(tree))}
    typing = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    left_out = {inner for node in typing for inner in ast.walk(node)}
    for function in _outermost(tree):
        for statement in (inner for outer in function.body for inner in ast.walk(outer) if isinstance(inner, ast.stmt)):
            lines = _lines(statement)
            for node in _own(statement):
                for change in _possible(node) if node not in left_out else ():
                    line: int = node.lineno  # type: ignore[attr-defined]
                    yield Mutant(str(path), numbers[node], line, lines, function, change)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """A statement and its parts, but for the statements in it."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.stmt):
            yield from _own(inner)


def _lines(statement: ast.stmt) -> range:
    """The lines of a statement, but for those of the statements in it."""
    inner: list[ast.stmt] = getattr(statement, "body", [])
    last = max(statement.lineno, inner[0].lineno - 1) if inner else statement.end_lineno or statement.lineno
    return range(statement.lineno, last + 1)


def _outermost(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield node
        else:
            yield from _outermost(node)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


@cache
def _text(path: str) -> str:
    """The content of a file when mutants were drawn; it may be worked on meanwhile."""
    return Path(path).read_text()


def _module(path: str) -> str:
    return ".".join(Path(path).relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def _cpu_seconds() -> float:
    """What this process and its children have used."""
    return sum(os.times()[:4])


def draw(count: int, seed: int) -> list[Mutant]:
    """Random lines, and a random mutant of each."""
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for path in sorted((SOURCE / "berrypick").rglob("*.py")):
        for one in mutants(path):
            lines.setdefault((one.path, one.line), []).append(one)
    chance = random.Random(seed)
    return [chance.choice(lines[line]) for line in chance.sample(sorted(lines), min(count, len(lines)))]


class Session:
    """The tests of one collection, and the mutants they are tried on."""

    def __init__(self, drawn: list[Mutant], jobs: int, verbose: bool) -> None:
        self.drawn, self.jobs, self.verbose = drawn, jobs, verbose

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = session.items
        began = time.time()
        tests = self._tests()
        seconds = time.time() - began
        print(f"\n{len(self.items)} tests run {len(tests)} of {len(self.drawn)} lines ({seconds:.0f} s)", flush=True)
        with ThreadPoolExecutor(self.jobs) as pool:
            codes = list(pool.map(lambda number: self._try(number, tests.get(number, [])), range(len(self.drawn))))
        made = [code for code in codes if code != UNMADE]
        killed = len(made) - made.count(SURVIVED)
        print(f"{killed} of {len(made)} mutants killed: {killed / max(len(made), 1):.0%} ({time.time() - began:.0f} s)")
        return True

    def _tests(self) -> dict[int, list[tuple[float, int]]]:
        """The tests that pass and run each mutant's lines, with their CPU seconds, the shortest first."""
        parts = [range(first, min(first + PART, len(self.items))) for first in range(0, len(self.items), PART)]
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(self.jobs) as pool:
            files = [Path(folder, str(number)) for number in range(len(parts))]
            # in processes of their own: what tests leave in memory hides mutants
            list(pool.map(lambda part, file: self._fork(lambda: self._map(part, file)), parts, files))
            found: dict[int, list[tuple[float, int]]] = {}
            for file in files:
                for number, tests in pickle.loads(file.read_bytes()).items():
                    found.setdefault(number, []).extend(tests)
        return {number: sorted(tests)[:MOST_TESTS] for number, tests in found.items()}

    def _map(self, part: range, file: Path) -> int:
        """Write which of some tests pass and run each mutant's lines."""
        wanted: dict[tuple[str, int], list[int]] = {}
        for number, one in enumerate(self.drawn):
            for line in one.lines:
                wanted.setdefault((one.path, line), []).append(number)
        paths = {path for path, _ in wanted}
        seen: set[int] = set()
        found: dict[int, list[tuple[float, int]]] = {}
        traced: dict[CodeType, bool] = {}

        def of_line(frame: FrameType, event: str, _: object) -> Any:
            seen.update(wanted.get((frame.f_code.co_filename, frame.f_lineno), ()))
            return of_line

        def of_call(frame: FrameType, event: str, _: object) -> Any:
            code = frame.f_code
            if code not in traced:
                lines = (line for _, _, line in code.co_lines() if line)
                traced[code] = code.co_filename in paths and any((code.co_filename, line) in wanted for line in lines)
            return of_line if traced[code] else None

        for test in part:
            following = self.items[test + 1] if test + 1 < part.stop else None
            seen.clear()
            began = _cpu_seconds()
            sys.settrace(of_call)
            passed = self._passes(test, following)
            sys.settrace(None)
            for number in seen if passed else ():
                found.setdefault(number, []).append((_cpu_seconds() - began, test))
        file.write_bytes(pickle.dumps(found))
        return 0

    def _try(self, number: int, timed: list[tuple[float, int]]) -> int:
        limit = math.ceil(CPU_SECONDS + 10 * sum(seconds for seconds, _ in timed))
        tests = [test for _, test in timed]
        code = self._fork(lambda: self._outcome(self.drawn[number], tests), limit) if tests else SURVIVED
        if code == SURVIVED and self.verbose:
            print(f"survived: {self.drawn[number]}{'' if tests else ' (not run)'}", flush=True)
        return code

    def _outcome(self, mutant: Mutant, tests: list[int]) -> int:
        if not mutant.apply():
            return UNMADE
        following = [self.items[number] for number in tests[1:]]
        return SURVIVED if all(map(self._passes, tests, [*following, None])) else KILLED

    def _passes(self, number: int, following: pytest.Item | None) -> bool:
        from _pytest.runner import runtestprotocol

        return not any(report.failed for report in runtestprotocol(self.items[number], log=False, nextitem=following))

    def _fork(self, work: Callable[[], int], limit: int = 0) -> int:
        """The exit code of a process that does the work; KILLED where it takes more CPU seconds, or does not end."""
        child = os.fork()
        if child == 0:
            code = KILLED
            try:
                nowhere = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2) if limit else (0, 1):
                    os.dup2(nowhere, stream)
                if limit:
                    signal.alarm(SECONDS)
                    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
                    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
                code = work()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return code if code in (SURVIVED, UNMADE) else KILLED


def main() -> None:
    """Print the share of mutants that the quick tests kill."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=200, help="number of mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--verbose", action="store_true", help="name the mutants that survive")
    given = parser.parse_args()
    plugin = Session(draw(given.n, given.seed), given.jobs, given.verbose)
    chosen = ["-q", "-m", "not slow", "-p", "no:xdist", "-p", "no:cacheprovider", "-s"]
    sys.exit(pytest.main(chosen, plugins=[plugin]))


if __name__ == "__main__":
    main()
