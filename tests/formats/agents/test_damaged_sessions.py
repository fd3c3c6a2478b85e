"""Sessions of a real shell, in all formats, damaged: each line that they show was shown, with that number."""

import json
import random
import subprocess

import pytest
from agent_formats import CODEX, Step, atif, claude, codex, traces
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import berrypick as bp

FILES = ("a.py", "src/b c.py", "src/c.py", "12", "src/2020-1-x.py")
#: What lines begin with: hits of searches, numbers, wrappings, marks of what was cut.
BEGINNINGS = ("", "", "", "3:", "src/c.py:7:", "a.py-2-", "     7\t", "<system-reminder>", "</output>", "Output:",
              "<returncode>0</returncode>", "[stdout]", "[... 5 lines truncated ...]", "bash: ")  # fmt: skip
COMMANDS = (
    "cat {}", "tail -n 3 {}", "tail -n 9 {}", "head -n 4 {}", "sed -n '2,7p' {}", "nl -ba {} | sed -n '2,4p'",
    "cat -n {}", "grep -n foo {}", "grep -rn -C1 1 src", "grep -rn foo .", "cd src && cat c.py",
    "cd src && tail -n 3 c.py", "sed -i '1i new' {}", "echo x >> {}", "cp {} a.py", "printf 'q\\nr\\n' | tee {}",
    "cat nothere", "cat {} nothere",
    "false; cat {}", "cat {} | head -n 3 | tail -n 1", "cat {} > /dev/null", "perl -pi -e 's/foo/z\\nfoo/' {}", "ls",
)  # fmt: skip


def lines_in(path):
    text = path.read_text()
    return text.split("\n")[: -1 if text.endswith("\n") else None] if text else []


def played(repo, draw):
    """Steps of a session in a folder of files, and each line that was shown, by file and number."""
    count = 0
    for name in FILES:
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        many = draw.randint(0, 12)
        (repo / name).write_text("".join(f"{draw.choice(BEGINNINGS)}foo u{count + i}u\n" for i in range(many)))
        count += many
    steps, shown = [], set()
    for _ in range(draw.randint(2, 7)):
        command = draw.choice(COMMANDS).format(f"'{draw.choice(FILES)}'")
        done = subprocess.run(["bash", "-c", command], cwd=repo, capture_output=True, check=False)
        printed = (done.stdout + done.stderr).decode()
        for name in FILES:
            ends = printed.split("\n")
            held = enumerate(lines_in(repo / name), start=1)
            shown |= {(name, number) for number, line in held if any(end.endswith(line) for end in ends)}
        steps.append(Step(command, printed, done.returncode))
    return steps, shown


def damaged_lines(text, draw):
    lines = text.splitlines(keepends=True)
    at, other = draw.randrange(1, len(lines)), draw.randrange(1, len(lines))
    match draw.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines[at] = lines[at][: draw.randrange(len(lines[at]))] + "\n"
        case 2:
            lines.insert(other, lines[at])
        case 3:
            lines[at], lines[other] = lines[other], lines[at]
        case 4:
            lines[at] = lines[at].replace('"c', '"z', 1)
        case 5:
            del lines[at:]
            lines[-1] = lines[-1][: draw.randrange(len(lines[-1]))]
    return "".join(lines)


def damaged_list(steps, draw):
    at, other = draw.randrange(1, len(steps)), draw.randrange(1, len(steps))
    match draw.randrange(5):
        case 0:
            del steps[at]
        case 1:
            steps.insert(other, steps[at])
        case 2:
            steps[at], steps[other] = steps[other], steps[at]
        case 3:
            for name in ("observation", "attributes"):
                steps[at].pop(name, None)
        case 4 if "observation" in steps[at]:
            result = steps[at]["observation"]["results"][0]
            result["content"] = result["content"][: draw.randrange(len(result["content"]))]


def damaged(form, text, draw):
    if form not in ("atif", "agent-traces"):
        return damaged_lines(text, draw)
    value = json.loads(text)
    damaged_list(value["steps"] if form == "atif" else value["resourceSpans"][0]["scopeSpans"][0]["spans"], draw)
    return json.dumps(value) + "\n"


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_no_line_is_invented(tmp_path, seed):
    draw = random.Random(seed)
    repo = tmp_path / str(seed) / "repo"
    steps, shown = played(repo, draw)
    written = [claude(tmp_path / "claude.jsonl", "issue: t1", steps), atif(tmp_path / "atif.json", "issue: t1", steps),
               traces(tmp_path / "traces.jsonl", "issue: t1", steps),
               *(codex(tmp_path / f"{tool}.jsonl", "issue: t1", steps, tool) for tool in CODEX)]  # fmt: skip
    for path, form, more in written:
        whole = path.read_text()
        for turn in range(4):
            path.write_text(damaged(form, whole, draw) if turn else whole)
            options = {"topic_pattern": "issue: (.*)", "root": "repo", "until": draw.choice(["edit", "end"]), **more}
            try:
                run = bp.read_run(path, f"{form}({','.join(f'{name}={value!r}' for name, value in options.items())})")
            except bp.InputError:
                continue  # the line with the topic is gone
            rows = [row for row in run.to_records() if "start_line" in row]
            found = {(row["doc"], line) for row in rows for line in range(row["start_line"], row["end_line"] + 1)}
            assert found <= shown, (form, turn, steps)
