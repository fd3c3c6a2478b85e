"""Gates for continuous integration as JUnit XML and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from berrypick.analysis.comparison.gates import Check
from berrypick.data.errors import as_flags, one_line
from berrypick.data.words import counted
from berrypick.tables.tables import markdown_text


def junit(checks: Sequence[Check], table: str) -> str:
    """A test case for each gate and run, its class the run; the table is the output of the suite."""
    failures = sum(bool(one.reason) for one in checks)
    counts = {"tests": str(len(checks)), "failures": str(failures), "errors": "0", "skipped": "0"}
    root = ElementTree.Element("testsuites", {"name": "berrypick", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "berrypick compare", **counts})
    for one in checks:
        case = ElementTree.SubElement(suite, "testcase", classname=one_line(one.run), name=one_line(one.gate))
        if one.reason:
            reason = one_line(as_flags(one.reason))
            ElementTree.SubElement(case, "failure", message=reason, type="gate").text = reason
        if one.sees:
            ElementTree.SubElement(case, "system-out").text = one_line(as_flags(one.sees))
    # XML has no control characters; the table has those of names replaced already
    ElementTree.SubElement(suite, "system-out").text = "\n".join(map(one_line, table.splitlines()))
    ElementTree.indent(root)
    return f"<?xml version='1.0' encoding='UTF-8'?>\n{ElementTree.tostring(root, encoding='unicode')}\n"


def markdown(checks: Sequence[Check]) -> str:
    """What follows a comparison: the reasons of gates that are not met, the gates on pairs that passed, and which drops
    they see; nothing without gates."""
    if not checks:
        return ""
    reasons = [one.reason for one in checks if one.reason]
    passed = [f"passed: {one.passed}" for one in checks if one.passed]
    sees = [one.sees for one in checks if one.sees]
    lines = "".join(f"* {markdown_text(as_flags(line))}\n" for line in (*reasons, *passed, *sees))
    said = f"{len(reasons)} of {counted(len(checks), 'check')} not met" if reasons else ""
    return f"\n**Gates:** {said or counted(len(checks), 'check') + ', all met'}\n" + (f"\n{lines}" if lines else "")
