"""What all tests share: real data, the command line, Hypothesis profiles, and the rule about skipping.

Under BERRYPICK_REQUIRE_ALL=1 a test that is skipped has failed; otherwise every reason for skipping is told in one
loud line at the end.
"""

from __future__ import annotations

import atexit
import errno
import gc
import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
from browsers import chromium, demonstration, tabs, watch  # noqa: F401 (fixtures of all tests with a browser)
from command_process import command
from hypothesis import HealthCheck, settings
from made_once import made_once
from many_cases import at_length

REQUIRE_ALL = os.environ.get("BERRYPICK_REQUIRE_ALL", "") not in ("", "0")

#: Libraries that the tests use report to nobody.
os.environ.update(
    HAYSTACK_TELEMETRY_ENABLED="false", LANGSMITH_TRACING="false", WANDB_MODE="offline", WANDB_SILENT="true"
)

#: Fixtures of ours hold for all examples of a test alike.
SLOW_BUT_SOUND = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]

settings.register_profile("here", deadline=None, suppress_health_check=SLOW_BUT_SOUND, max_examples=at_length(35, 300))
settings.register_profile("ci", parent=settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

#: The choice of `make quick`.
QUICK = "not slow"

#: Tests that start browsers, compilers or many processes, read real data, or generate their inputs; `make quick` leaves
#: them out.
SLOW_FOLDERS = {"html", "golden", "fuzz", "faults"}
SLOW_MODULES = {
    "test_abstention",
    "test_action",
    "test_annotate",
    "test_annotate_tasks",
    "test_answers",
    "test_arrow_tables",
    "test_articles_at_once",
    "test_bm25_twin",
    "test_bombs",
    "test_campaign",
    "test_certified",
    "test_certified_effort",
    "test_certified_epnav",
    "test_certified_many",
    "test_chunks_data",
    "test_cli",
    "test_code_pages",
    "test_columns",
    "test_compare",
    "test_completion",
    "test_contributing",
    "test_corpus_hostile",
    "test_demonstration",
    "test_docs",
    "test_evaluators",
    "test_exchange",
    "test_executor",
    "test_experiments",
    "test_facts",
    "test_fit",
    "test_fit_data",
    "test_formats",
    "test_growth",
    "test_growth_of_marks",
    "test_hostile_names",
    "test_ideal_lists",
    "test_index",
    "test_index_build",
    "test_index_command",
    "test_index_scan",
    "test_index_systems",
    "test_inex_micro",
    "test_jobs",
    "test_judged_scan",
    "test_laws",
    "test_layers",
    "test_library_objects",
    "test_list_search",
    "test_measures",
    "test_meetings",
    "test_messages",
    "test_names",
    "test_native_build",
    "test_native_hostile",
    "test_native_law",
    "test_notebook",
    "test_official",
    "test_options",
    "test_parts",
    "test_pipes",
    "test_plots",
    "test_plugin",
    "test_process_signals",
    "test_pytest_plugin",
    "test_real_clients",
    "test_registry",
    "test_release",
    "test_relocate_data",
    "test_report",
    "test_shapes",
    "test_simulate",
    "test_site",
    "test_skipping",
    "test_stability",
    "test_statistics_simulation",
    "test_streams_of_runs",
    "test_sweep",
    "test_sweep_real",
    "test_sweep_values",
    "test_systems",
    "test_terminal",
    "test_uncoded_names",
    "test_users",
    "test_view_of_boxes",
    "test_walks",
    "test_workers",
}

#: Modules with tests of many seconds, the longest first: begun last, one would keep a core busy and leave others idle.
LONG_MODULES = [
    "test_native_hostile",
    "test_sweep_real",
    "test_experiments",
    "test_pipes_and_workers",
    "test_signals",
    "test_chunks_data",
    "test_fit_data",
    "test_release",
]


def pytest_configure():
    """Processes that a shell starts in the background ignore Ctrl-C, and so would the commands that tests interrupt.

    The charting library of report pages is put together once for all tests.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "BERRYPICK_CACHE" not in os.environ:  # workers have that of the session which starts them
        os.environ["BERRYPICK_CACHE"] = cache = tempfile.mkdtemp(prefix="berrypick-cache-")
        atexit.register(shutil.rmtree, cache, ignore_errors=True)


def is_slow(path: Path) -> bool:
    """Whether the tests of a file are slow, but for those with the other mark."""
    return path.parent.name in SLOW_FOLDERS or path.stem in SLOW_MODULES


def pytest_ignore_collect(collection_path, config):
    """Files of slow tests alone are not even loaded where only others are wanted: that would take half of the time."""
    if config.option.markexpr == QUICK and collection_path.suffix == ".py" and is_slow(collection_path):
        return True if "mark.quick" not in collection_path.read_text(encoding="utf-8") else None
    return None


def pytest_collection_modifyitems(items):
    for item in items:
        generated = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        browser = "chromium" in getattr(item, "fixturenames", ())
        slow = generated or browser or is_slow(item.path)
        if slow and not item.get_closest_marker("quick"):
            item.add_marker(pytest.mark.slow)
    order = {name: place for place, name in enumerate(LONG_MODULES)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


def pytest_collection_finish():
    """Modules and collected tests stay to the end: nobody need look through them again for what could be freed."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config) -> int:
    """One worker more than there are cores: some always wait for a browser, a signal or a disk.

    Quick tests wait for nothing, and each worker has to collect them first.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if config.option.markexpr == QUICK else cores + 1


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if REQUIRE_ALL and report.skipped and not hasattr(report, "wasxfail"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"BERRYPICK_REQUIRE_ALL=1, so this may not be skipped. {why}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    _refuse_skip(report)
    return report


def pytest_terminal_summary(terminalreporter):
    reasons: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", []):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[why] = reasons.get(why, 0) + 1
    for why, count in reasons.items():
        terminalreporter.write_line(f"NOT TESTED ({count} tests): {why.removeprefix('Skipped: ')}", yellow=True)


_folders = itertools.count()


@pytest.fixture
def tmp_path(request, tmp_path_factory) -> Path:
    """An empty folder, as that of pytest, which reads the names of all earlier ones to number each: 2 ms in the end."""
    path = tmp_path_factory.getbasetemp() / f"{re.sub(r'[^A-Za-z0-9_]', '_', request.node.name)[:30]}{next(_folders)}"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data."""
    place = os.environ.get("BERRYPICK_DATA", "")
    if not place:
        pytest.skip("real data: set BERRYPICK_DATA to the folder that holds it")
    if not Path(place).is_dir():
        pytest.skip(f"real data: BERRYPICK_DATA={place} is no folder")
    return Path(place)


@pytest.fixture(scope="session", autouse=True)
def no_event_loop():
    """LlamaIndex asks for the event loop of the thread; where there is none it makes one, and closes it."""
    import asyncio

    asyncio.set_event_loop(None)


@pytest.fixture(autouse=True)
def nothing_stays_registered():
    """What a test or an example registers is gone after it."""
    from berrypick.registry.registry import registries

    before = {id(known): dict(known._registered) for known in registries}
    yield
    for known in registries:
        known._registered = before.get(id(known), {})


@pytest.fixture(scope="session")
def installed_plugin(tmp_path_factory) -> Path:
    """The folder in which the package of tests/plugin is installed; see plugins.discoverable."""
    import example_plugin

    return (
        made_once(tmp_path_factory, "installed", lambda folder: example_plugin.install(folder / "packages"))
        / "packages"
    )


@pytest.fixture(params=["numpy", "native"])
def kernels(request, monkeypatch) -> str:
    """Both forms of the kernels, one after the other."""
    from berrypick import kernels as ours

    if request.param == "native" and getattr(ours, "_native", None) is None:
        pytest.skip("compiled kernels: installed without a C++ compiler")
    monkeypatch.setenv("BERRYPICK_KERNELS", request.param)
    return request.param


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def berrypick(capsys):
    """Run the command line in this process: berrypick('evaluate', truth, run, '-m', 'EPRUM')."""
    from berrypick.cli import main

    def run(*arguments: object) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        code = stopped.value.code
        return Outcome(0 if code is None else int(code), captured.out, captured.err)

    return run


@pytest.fixture
def process():
    """Run the command line in a process of its own."""

    def run(*arguments: object, **options: object) -> Outcome:
        done = subprocess.run(command(*arguments), capture_output=True, timeout=60, **options)
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def files(tmp_path):
    """Write several small files at once: files(truth_qrels="1 0 a 1") gives {'truth_qrels': path}."""

    def write(**contents: str | bytes) -> dict[str, Path]:
        paths = {}
        for name, content in contents.items():
            paths[name] = tmp_path / name.replace("_", ".")
            paths[name].write_bytes(content if isinstance(content, bytes) else content.encode())
        return paths

    return write


@pytest.fixture
def put(tmp_path):
    """Write one small file: put("truth.xml", text) gives its path."""

    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


@pytest.fixture
def encoding():
    """An encoding of our own: every byte, and a few pairs; tiktoken's own tables need a network."""
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken: pip install 'berrypick[tokens]'")
    ranks = {bytes([i]): i for i in range(256)}
    for pair in (b"th", b"he", b"the", b" t"):
        ranks[pair] = len(ranks)
    return tiktoken.Encoding(name="own", pat_str=r" ?\w+|[^\w]", mergeable_ranks=ranks, special_tokens={})


@pytest.fixture
def pipe(tmp_path):
    """A pipe with a name, into which something is written."""
    writers = []

    def make(content: str | bytes, name: str = "pipe") -> str:
        path = tmp_path / name
        os.mkfifo(path)
        data = content.encode() if isinstance(content, str) else content
        writer = threading.Thread(target=lambda: path.write_bytes(data), daemon=True)
        writer.start()
        writers.append(writer)
        return str(path)

    yield make
    for writer in writers:
        writer.join(timeout=10)
        assert not writer.is_alive()


def open_here(path: str | os.PathLike) -> bool:
    """Whether this process has a file open or mapped."""
    real = os.path.realpath(path)
    held = [os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]
    mapped = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    return real in held or f"{real}\n" in mapped


@pytest.fixture
def windows_files(monkeypatch):
    """Files that are open or mapped cannot be replaced, removed or renamed, as on Windows."""
    if not os.path.exists("/proc/self/maps"):
        pytest.skip("open files: /proc is not there")

    def guarded(real):
        def call(*paths, **more):
            for path in paths:
                if os.path.exists(path) and open_here(path):
                    raise PermissionError(errno.EACCES, "Access is denied", os.fspath(path))
            return real(*paths, **more)

        return call

    for name in ("replace", "rename", "remove", "unlink"):
        monkeypatch.setattr(os, name, guarded(getattr(os, name)))
