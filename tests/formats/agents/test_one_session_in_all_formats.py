"""The same reading gives the same number, whoever wrote the log."""

import json

import pytest
from agent_formats import CODEX, Step, atif, atif_value, claude, codex, contextbench, traces, wrapped

import berrypick as bp

TEN = "".join(f"line {i}\n" for i in range(1, 11))
SECRET = "hunter2"
STEPS = [
    Step("ls -la", f"total 8\n{SECRET}\n", prompt=500, completion=20),
    Step("rg -n prune src", f"src/prune.py:41:def prune():\nsrc/plan.py:9:{SECRET}\n", prompt=600, cached=500),
    Step("cd src && sed -n '40,44p' prune.py", "a\nb\nc\nd\ne\n", prompt=700, cached=600, completion=30),
    Step("cat missing.py", "cat: missing.py: No such file\n", code=1, prompt=800, cached=700),
    Step("nl -ba src/plan.py | head -n 3", "     1\tx\n     2\ty\n     3\tz\n", prompt=900, cached=800),
    Step("cat src/ten.py", TEN, prompt=1000, cached=900),
    Step("echo fixed > src/prune.py", "", prompt=1100, cached=1000),
    Step("cat src/prune.py", "fixed\n", prompt=1200, cached=1100),
]
TRUTH = [
    {"topic": "canes-12", "doc": "src/prune.py", "start_line": 43, "end_line": 50},
    {"topic": "canes-12", "doc": "src/ten.py", "start_line": 10, "end_line": 10},
]
#: By hand: lines until half of the 9 relevant ones are never seen: 2 and 1 are.
EXPECTED = {"charR": 3 / 9, "StepAUC": (0 + 2 + 2 + 3) / 9 / 4, "Overlap": 1 - 19 / 20}
MEASURES = "charR StepAUC Overlap CostAt(share=0.2,cost='lines') CostAt(share=0.2,cost='steps')"
COSTS = "CostAt(share=0.2,cost='tokens') CostAt(share=0.2,cost='seconds')"


def run_of(written, **more):
    path, form, options = written
    if options is None:
        return bp.read_run(path, form)
    given = {"topic_pattern": "issue: (.*)", "root": "repo", **options, **more}
    return bp.read_run(path, f"{form}({','.join(f'{name}={value!r}' for name, value in given.items())})")


@pytest.fixture
def all_runs(tmp_path):
    issue = f"issue: canes-12\n{SECRET}"
    written = {
        "claude": claude(tmp_path / "claude.jsonl", issue, STEPS),
        "atif": atif(tmp_path / "atif.json", issue, STEPS),
        "traces": traces(tmp_path / "traces.jsonl", issue, STEPS),
        **{f"codex {tool}": codex(tmp_path / f"{tool}.jsonl", issue, STEPS, tool) for tool in CODEX},
        "codex, counted late": codex(tmp_path / "late.jsonl", issue, STEPS, count_first=False),
    }
    return {name: run_of(one) for name, one in written.items()}


def test_one_session_gives_one_number(all_runs, tmp_path):
    places = [("src/prune.py", 41, 41), ("src/prune.py", 40, 44), ("src/plan.py", 1, 3), ("src/ten.py", 1, 10)]
    path, form, none = contextbench(tmp_path / "bench.jsonl", "canes-12", places)
    value = json.loads(path.read_text())
    value["traj_data"]["pred_steps"][0]["spans"]["src/plan.py"] = [{"start": 9, "end": 9}]
    path.write_text(json.dumps(value) + "\n")
    runs = {**all_runs, "bench": run_of((path, form, none))}
    for name, run in runs.items():
        measures = f"{MEASURES} {COSTS if name != 'bench' else ''}"
        found = {one: bp.score(one, TRUTH, run) for one in measures.split()}
        for measure, expected in EXPECTED.items():
            assert found[measure] == pytest.approx(expected), (name, measure)
        assert found["CostAt(share=0.2,cost='lines')"] == 7 and found["CostAt(share=0.2,cost='steps')"] == 2, name
        if name != "bench":
            assert found["CostAt(share=0.2,cost='tokens')"] == 520 + 110 + 130, name
            assert found["CostAt(share=0.2,cost='seconds')"] == 6, name


def plain(run):
    """Rows without who wrote the log, and who that was."""
    rows, names = run.to_records(), ("agent", "agent_version", "session_date")
    origin = {name: rows[0][name] for name in names if name in rows[0]}
    return [{name: value for name, value in row.items() if name not in names} for row in rows], origin


def test_rows_are_the_same_and_keep_no_text(all_runs):
    origins = {name: plain(run)[1] for name, run in all_runs.items()}
    day = {"session_date": "2026-01-05"}
    assert origins["claude"] == {"agent": "claude-code", "agent_version": "2.1", **day} and origins["traces"] == day
    assert origins["atif"] == {"agent": "mini", "agent_version": "1.2", **day}
    assert origins["codex shell"] == {"agent": "codex", "agent_version": "0.50.0", **day}
    expected = plain(all_runs["claude"])[0]
    assert [row["tool"] for row in expected] == ["rg", "rg", "sed", "nl", "cat"]
    for name, run in all_runs.items():
        assert plain(run)[0] == expected, name
        assert run.notes == ("2 calls without a file position: ls 1, cat 1",), name
        assert run.skipped["steps after the first edit, skipped"] == 1
        assert SECRET not in str(run.to_records()) + str(run.notes) + str(run.skipped)


def test_the_shell_is_an_option_of_claude_session(tmp_path):
    written = claude(tmp_path / "s.jsonl", "issue: t1", STEPS)
    run = run_of(written, tools="Read,Grep")
    assert run.size("t1") == 0 and run.notes == ("8 calls without a file position: Bash 8",)


def test_trajectories_are_valid_for_the_reference_models(tmp_path):
    atif_models = pytest.importorskip("nat.atif")
    for minor in range(8):
        value = atif_value("issue: canes-12", STEPS, f"ATIF-v1.{minor}")
        checked = atif_models.Trajectory.model_validate(value)
        path = tmp_path / f"{minor}.json"
        path.write_text(json.dumps(checked.to_json_dict()))
        run = run_of((path, "atif", {}))
        assert bp.score("charR", TRUTH, run) == pytest.approx(EXPECTED["charR"]) and bp.read_run(path).format == "atif"


def sub(name, step, **more):
    value = atif_value("look", [step])
    return {**value, "session_id": f"run-{name}", "trajectory_id": name, **more}


def test_subagents_stand_at_the_step_that_refers_to_them(tmp_path):
    """In the file, or in one beside it; copied context and a reference to nothing are counted."""
    atif_models = pytest.importorskip("nat.atif")
    value = atif_value("issue: t1", [Step("cat a.py", "x\n"), Step("delegate", "done"), Step("cat z.py", "x\n")])
    copied = json.loads(json.dumps(value["steps"][1]))
    value["steps"].append({**copied, "step_id": 5, "is_copied_context": True})
    references = [
        {"trajectory_id": "inner"},
        {"trajectory_path": "sub/beside.json"},
        {"trajectory_path": "../../out.json"},
        {"trajectory_id": "inner"},
    ]
    value["steps"][2]["observation"]["results"][0]["subagent_trajectory_ref"] = references
    value["subagent_trajectories"] = [sub("inner", Step("cat b.py", "x\ny\n", prompt=7, completion=1))]
    atif_models.Trajectory.model_validate(value)
    folder = tmp_path / "all"
    (folder / "sub").mkdir(parents=True)
    (folder / "main.json").write_text(json.dumps(value))
    (folder / "sub" / "beside.json").write_text(json.dumps(sub("beside", Step("cat c.py", "x\n"))))
    (tmp_path / "out.json").write_text(json.dumps(sub("out", Step("cat secret.py", "x\n"))))
    run = run_of((folder, "atif", {}))
    rows = run.to_records()
    assert run.topics == ("t1",), "the file of the subagent is no session of its own"
    assert [(row["doc"], row["tokens"]) for row in rows] == [("a.py", 110), ("b.py", 118), ("c.py", 110), ("z.py", 110)]
    assert run.skipped["steps of copied context, skipped"] == 1
    assert run.skipped["references to trajectories of subagents that are not there"] == 1


def test_codex_subagents_and_copied_history(tmp_path):
    """A thread that was forked begins with the history of its parent, whose calls count once."""
    steps = [Step("cat a.py", "x\n"), Step("cat b.py", "x\n")]
    path, *_ = codex(tmp_path / "main.jsonl", "issue: t1", steps)
    lines = path.read_text().splitlines(keepends=True)
    meta = json.loads(lines[0])
    meta["payload"] |= {"id": "s2", "source": {"subagent": {"thread_spawn": {"parent_thread_id": "s1", "depth": 1}}}}
    call = json.loads(lines[2])
    call["payload"] |= {"call_id": "own", "arguments": json.dumps({"command": "cat sub.py"})}
    call["timestamp"] = "2026-01-05T10:00:02.5+00:00"
    shown = {
        **call,
        "payload": {"type": "function_call_output", "call_id": "own", "output": wrapped("shell", Step("", "x\n"))},
    }
    text = [json.dumps(meta) + "\n", *lines[1:6], json.dumps(call) + "\n", json.dumps(shown) + "\n"]
    (tmp_path / "sub.jsonl").write_text("".join(text))
    rows = run_of((tmp_path, "codex-session", {})).to_records()
    assert [row["doc"] for row in rows] == ["a.py", "sub.py", "b.py"] and rows[0]["topic"] == "t1"


PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch"


@pytest.mark.parametrize(
    ("output", "stops"),
    [
        ("Success. Updated the following files:\nM src/a.py\n", True),
        (json.dumps({"output": "Success.", "metadata": {"exit_code": 0}}), True),
        ("apply_patch verification failed: Failed to find expected lines", False),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\nno", False),
    ],
)
def test_codex_edits_by_apply_patch(tmp_path, output, stops):
    path, *_ = codex(tmp_path / "s.jsonl", "issue: t1", [Step("cat a.py", "x\n"), Step("cat b.py", "x\n")])
    lines = path.read_text().splitlines(keepends=True)
    call = {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH, "call_id": "p"}
    done = {"type": "custom_tool_call_output", "call_id": "p", "output": output}
    added = [json.dumps({"type": "response_item", "payload": one}) + "\n" for one in (call, done)]
    path.write_text("".join([*lines[:6], *added, *lines[6:]]))
    rows = run_of((path, "codex-session", {})).to_records()
    assert [row["doc"] for row in rows] == (["a.py"] if stops else ["a.py", "b.py"])


def test_output_that_codex_cut(tmp_path):
    """Lines up to where something is left out count; the line in which it is cut does not."""
    cases = {
        "Exit code: 0\nWall time: 0.1 seconds\nTotal output lines: 900\nOutput:\na\nb\nc…77 tokens truncated…z\n": 2,
        "Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 99\nOutput:\n"
        "Total output lines: 900\n\na\nb\nc\nd…9 tokens truncated…": 3,
        "Chunk ID: 1a\nWall time: 1.0 seconds\nProcess running with session ID 3\nOutput:\na\nb\n": 0,
        "Exit code: 124\nWall time: 9 seconds\nOutput:\ncommand timed out after 9000 milliseconds\na\n": 0,
        "a\nb\n": 0,
    }
    for i, (output, many) in enumerate(cases.items()):
        path, *_ = codex(tmp_path / f"{i}.jsonl", "issue: t1", [Step("cat a.py", "x\n"), Step("cat b.py", "x\n")])
        text = path.read_text().replace(json.dumps(wrapped("shell_command", Step("", "x\n"))), json.dumps(output), 1)
        path.write_text(text)
        rows = run_of((path, "codex-session", {})).to_records()
        assert [row.get("end_line") for row in rows if row["doc"] == "a.py"] == ([many] if many else []), output


def test_torn_and_hostile_sessions(tmp_path):
    path, *_ = codex(tmp_path / "s.jsonl", "issue: t1", STEPS)
    whole = run_of((path, "codex-session", {}))
    lines = path.read_text().splitlines()
    lines[3:3] = ['{"type": "response_item", "pay', "[1]", '{"type": "event_msg", "payload": 3}', '{"a": NaN}']
    path.write_text("\n".join(lines) + '\n{"type": "resp')
    torn = run_of((path, "codex-session", {}))
    assert torn.to_records() == whole.to_records() and torn.skipped["broken lines of sessions, skipped"] == 5
    value = atif_value("issue: t1", [Step("cat a.py", "x\n")])
    value["steps"] += [
        3,
        None,
        {"observation": 5},
        {"tool_calls": 4, "observation": {"results": [{"source_call_id": ["x"], "content": {}}]}},
        {"metrics": {"prompt_tokens": -1, "cached_tokens": "x"}},
    ]
    value["subagent_trajectories"] = [value["agent"]]
    (tmp_path / "a.json").write_text(json.dumps(value))
    assert [row["doc"] for row in run_of((tmp_path / "a.json", "atif", {})).to_records()] == ["a.py"]
    (tmp_path / "b.json").write_text(json.dumps(atif_value("issue: t1", [], "ATIF-v2.0")))
    with pytest.raises(bp.InputError, match=r"(?s)schema_version is 'ATIF-v2.0'.*ATIF-v1.7 are read"):
        bp.read_run(tmp_path / "b.json", "atif")


def test_tools_of_atif_are_recognised_by_their_arguments(tmp_path):
    calls = [
        ("view_file", {"file_path": "a.py"}, "     5→x\n     6→y\n"),
        (
            "str_replace_based_edit_tool",
            {"command": "view", "path": "b.py", "view_range": [7, 8]},
            "     7\tx\n     8\ty\n",
        ),
        ("search", {"pattern": "x", "path": "src"}, "src/c.py:3:x\n"),
        ("read_plain", {"path": "d.py"}, "x\ny\n"),
        ("think", {"thought": "x"}, "ok"),
        ("replace", {"path": "a.py", "old_str": "x", "new_str": "y"}, "done"),
        ("view_file", {"file_path": "z.py"}, "     1→x\n"),
    ]
    value = atif_value("issue: t1", [Step("") for _ in calls])
    for step, (name, asked, shown) in zip(value["steps"][1:], calls, strict=True):
        step["tool_calls"][0] |= {"function_name": name, "arguments": asked}
        step["observation"]["results"][0]["content"] = shown
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value))
    rows = run_of((path, "atif", {})).to_records()
    assert [(row["doc"], row["start_line"], row["end_line"], row["tool"]) for row in rows] == [
        ("a.py", 5, 6, "Read"),
        ("b.py", 7, 8, "Read"),
        ("src/c.py", 3, 3, "Grep"),
    ]


EDITED = [Step("cat a.py", TEN), Step("sed -i 1d a.py"), Step("cat b.py", "x\n"), Step("tail -n 2 a.py", "x\ny\n")]


def without_line(path, what, among):
    """Tear the line that holds ``what`` for the first time behind ``among`` lines."""
    lines = path.read_text().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if number >= among and what in line)
    lines[at] = lines[at][: len(lines[at]) // 2] + "\n"
    path.write_text("".join(lines))


def test_an_edit_whose_result_was_torn_off_counts(tmp_path):
    """Whether it happened is not known; the lines behind it may have other numbers."""
    first, *_ = written = claude(tmp_path / "s.jsonl", "issue: t1", EDITED)
    without_line(first, '"tool_use_id": "c2"', 3)
    runs = [run_of(written)]
    for tool in CODEX:
        path, *_ = written = codex(tmp_path / f"{tool}.jsonl", "issue: t1", EDITED, tool)
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not ("call_output" in line and '"c2"' in line)))
        runs.append(run_of(written))
    value = atif_value("issue: t1", EDITED)
    del value["steps"][2]["observation"]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value))
    runs.append(run_of((path, "atif", {})))
    for run in runs:
        assert [row["doc"] for row in run.to_records()] == ["a.py"], run.format
        assert run.skipped["edits whose result is missing, which may have happened"] == 1
        assert run.skipped["steps after the first edit, skipped"] >= 1


def test_a_broken_line_may_have_changed_a_file(tmp_path):
    """Behind it, the length of a.py is not known any more."""
    steps = [EDITED[0], Step("ls src"), Step("tail -n 2 a.py", "x\ny\n")]
    for written in (claude(tmp_path / "s.jsonl", "issue: t1", steps), codex(tmp_path / "c.jsonl", "issue: t1", steps)):
        assert [row["end_line"] for row in run_of(written, until="end").to_records()] == [10, 10]
        without_line(written[0], "ls src", 2)
        assert [row["end_line"] for row in run_of(written, until="end").to_records()] == [10]


def test_trajectories_as_harbor_writes_them(tmp_path):
    """Of Claude Code it repeats the output, and puts failures and working folders beside it."""
    steps = [Step("cat a.py", ""), Step("sed -n '2,3p' a.py", ""), Step("grep -n x a.py", ""), Step("cat b.py", "")]
    value = atif_value("issue: t1", steps)
    del value["extra"]
    value["agent"]["extra"] = {"cwds": ["/repo"]}
    failed = "1:x\n\n[error] tool reported failure"
    contents = ["x\ny\n\n[stdout]\nx\ny", "y\nz\n\n[stdout]\ny\nz\n[metadata] {}", failed, "no such file"]
    for step, content in zip(value["steps"][1:], contents, strict=True):
        step["observation"]["results"][0]["content"] = content
    value["steps"][4]["extra"] = {"metadata": {"is_error": True}}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value))
    rows = run_of((path, "atif", {})).to_records()
    assert [(row["doc"], row["start_line"], row["end_line"]) for row in rows] == [("a.py", 1, 2), ("a.py", 2, 3)]
