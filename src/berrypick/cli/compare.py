"""berrypick compare."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from berrypick.analysis.assumptions.reader_range import SCALES
from berrypick.analysis.comparison import comparison_text, gate_report
from berrypick.analysis.comparison.compare import compare
from berrypick.analysis.comparison.comparison import FAMILIES, PAIRS, Comparison
from berrypick.analysis.comparison.gates import Gates, averages_own_topics, gated_evaluation, gated_options
from berrypick.analysis.comparison.saved import is_saved, read_results
from berrypick.analysis.ledger.looks import check_ledger, record_looks
from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, progress_bar, show_notes, tell
from berrypick.data.errors import UsageError
from berrypick.data.results import concat
from berrypick.statistics.method_names import INTERVALS
from berrypick.tables import tables


@click.command(
    "compare",
    short_help="Compare runs: confidence intervals, paired tests, gates for CI.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("truth")
@click.argument("runs", nargs=-1)
@flags.measures("charR@5 IoU@5")
@flags.comparison
@flags.choice(
    "--family",
    FAMILIES,
    "measure",
    "Correct over the comparisons of each measure, or of all measures and groups.",
)
@flags.choice("--pairs", PAIRS, "all", "Compare all pairs, or only those with the baseline.")
@flags.choice("--interval", INTERVALS, "expanded", "Bootstrap interval of scores; hits and costs have their own.")
@flags.resampling_options(10_000)
@click.option(
    "--fail-under", multiple=True, metavar="M=X", help="Exit with 1 if a run's mean is below X, e.g. 'charR@5=0.8'."
)
@click.option(
    "--fail-over", multiple=True, metavar="M=X", help="Exit with 1 if a run's mean is above X, e.g. 'Overlap=0.2'."
)
@click.option(
    "--fail-if-worse", metavar="RUN", help="Exit with 1 if a run is significantly worse than RUN, a file or name."
)
@click.option("--margin", type=float, metavar="X", help="With --fail-if-worse: accept differences of up to X.")
@click.option(
    "--must-see", type=float, metavar="X", help="With --fail-if-worse: exit with 2 if a true drop of X would pass in "
    "more than 20% of cases.",
)  # fmt: skip
@flags.model_truth
@flags.ledger
@click.option(
    "--over", metavar="SPEC", help="For which readers is each run better: a range, e.g. 'bep(A=0.01..100)', or a "
    "file written by fit.",
)  # fmt: skip
@click.option(
    "--scale", type=click.Choice(SCALES), help="With --over: the scale of the range. [default: linear inside 0 to 1; "
    "elsewhere log if the ends differ by a factor of 20 or more]",
)  # fmt: skip
@click.option(
    "--assumptions",
    is_flag=True,
    help="A verdict for each pair of runs: which assumptions could reverse the difference.",
)
@click.option("--plot", "picture", metavar="FILE", help="With --over: also draw FILE.png, FILE.svg or FILE.pdf.")
@flags.output((*comparison_text.OUTPUTS, "junit"), "; junit has a test case for each gate and run")
@click.option(
    "--layout",
    type=click.Choice(comparison_text.LAYOUTS),
    help="A table per measure, or one row per run. [default: details; latex: runs]",
)
@flags.truths
@flags.unplaced_report
@flags.reader_draws
@flags.evaluation
def compare_command(
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    fail_if_worse: str | None,
    margin: float | None,
    must_see: float | None,
    picture: str | None,
    output: Output,
    layout: str | None,
    places: int | None,
    report: str | None,
    ledger: str | None,
    ledger_head: str | None,
    commit: str | None,
    **settings: Any,
) -> None:
    """Compare RUNS: means with confidence intervals, paired tests, effect sizes.

    Instead of TRUTH and RUNS, the files may be results that evaluate -q -o json wrote; numbers of two truths are
    refused unless --common-topics or --different-truth is given.

    --over shows for which readers of a range each run is better; --assumptions gives a verdict for each pair of runs.

    --model-truth adds judgements by a model to those of people: means, intervals, tests and gates are model-assisted.

    --ledger counts looks at the truth: "better" is then tested at a level that falls with each look.

    Gates for continuous integration: --fail-under, --fail-over and --fail-if-worse exit with 1 and print each reason.

    \b
    berrypick compare truth.jsonl old.jsonl new.jsonl -m charR@5 --fail-if-worse old
    """
    gates = Gates.read(fail_under, fail_over, fail_if_worse, margin, must_see)
    check_ledger(ledger, ledger_head, commit, settings)
    if ledger is not None:
        flags.refuse_inputs(ledger, settings)
    if "junit" in output.formats and not gates:
        raise UsageError("junit output needs a gate: give --fail-under, --fail-over or --fail-if-worse")
    if gates:
        gated_options(settings)
    if settings["over"] is not None or settings["assumptions"]:
        _show_assumed(gates, settings, output, places, layout, picture)
        return
    if picture is not None:
        raise UsageError("--plot needs --over; berrypick plot draws means, topics and curves")
    settings = gates.baseline(settings)
    if settings["format_truth"] is None and settings["model_truth"] is not None and is_saved(settings["truth"]):
        raise UsageError("saved results have one truth: --model-truth needs the judgements by people and the runs")
    if report is not None and (settings["format_truth"] is None and is_saved(settings["truth"])):
        raise UsageError("saved results have no texts: --report needs the truth and the runs")
    if settings["format_truth"] is None and is_saved(settings["truth"]):
        found = _compare_saved(gates, settings)
    else:
        found = _compare_runs(gates, settings, fail_if_worse, report, output)
    gates.checks(found)  # refuses what no gate can decide on
    found = gates.with_detectable(found)
    if ledger is not None:  # after everything that may be refused: what is not shown is no look
        found = record_looks(found, ledger, ledger_head, commit)
    checks = gates.checks(found)
    show_notes([*found.notes, *gates.notes(found)])
    for one in checks:
        if one.sees:
            tell(f"gate: {one.sees}")
        if one.passed:
            tell(f"passed: {one.passed}")
    if found.ledger_head:
        tell(f"ledger: {ledger}: head {found.ledger_head}")

    def render(form: str, paint: tables.Paint) -> str:
        if form == "junit":
            return gate_report.junit(checks, comparison_text.render(found, "table", places, layout))
        content = comparison_text.render(found, form, places, layout, paint)
        return content + gate_report.markdown(checks) if form == "markdown" else content

    output.show(render, [one.reason for one in checks if one.reason])


def _compare_runs(
    gates: Gates, settings: dict[str, Any], fail_if_worse: str | None, report: str | None, output: Output
) -> Comparison:
    """Compare the runs; a report lists results without a place."""
    if not settings["runs"]:
        raise click.MissingParameter(param_hint="'RUNS...'", param_type="argument")
    given = dict(settings)
    truth, runs, requested = flags.inputs(settings)
    measures = gates.measures(requested, settings["protocol"], settings["task"])
    evaluation: Any = truth
    if gates and averages_own_topics(settings) and settings["model_truth"] is None:
        evaluated = {name: settings.pop(name) for name in flags.NAMES if name in settings}
        evaluation, runs = gated_evaluation(truth, runs, measures, evaluated, fail_if_worse), []
    with flags.listing_unplaced(report, given, output) as unplaced, progress_bar() as progress:
        found = compare(evaluation, runs, measures, progress=progress, **settings)
        unplaced += found.unplaced
    return found


def _show_assumed(
    gates: Gates,
    settings: dict[str, Any],
    output: Output,
    places: int | None,
    layout: str | None,
    picture: str | None,
) -> None:
    """Print the readers along a range, or the assumptions behind differences, in place of the comparison."""
    flag = "--over" if settings["over"] is not None else "--assumptions"
    if gates or layout is not None or "junit" in output.formats:
        raise UsageError(f"{flag} replaces the comparison: omit gates, --layout and junit")
    if settings["format_truth"] is None and is_saved(settings["truth"]):
        raise UsageError(f"{flag} needs the truth and the runs: saved results have one reader")
    if not settings["runs"]:
        raise click.MissingParameter(param_hint="'RUNS...'", param_type="argument")
    if picture is not None:
        if settings["over"] is None:
            raise UsageError("--plot needs --over")
        flags.check_picture(picture, settings)
    truth, runs, requested = flags.inputs(settings)
    with progress_bar() as progress:
        found = compare(truth, runs, requested, progress=progress, **settings)
    if picture is not None:
        flags.draw(found if hasattr(found, "plot") else found.over, picture)
    flags.show_analysis(found, output, places)


def _compare_saved(gates: Gates, settings: dict[str, Any]) -> Comparison:
    """The runs of saved results, which have the options of their evaluation already."""
    context = click.get_current_context()
    for name in flags.NAMES:
        if context.get_parameter_source(name) not in (None, ParameterSource.DEFAULT):
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} has no effect on saved results: give the truth and the runs, or omit it")
    results = concat(*(read_results(file) for file in (settings["truth"], *settings["runs"])))
    measures = [*settings["requested"], *gates.under, *gates.over] if settings["requested"] else []
    own = {
        name: value
        for name, value in settings.items()
        if name not in (*flags.INPUTS, *flags.NAMES, "jobs", "model_truth")
    }
    return compare(results, (), measures, **own)
