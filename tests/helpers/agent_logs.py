"""Sessions of a coding agent, written record by record for the tests."""

import json
from datetime import datetime, timedelta, timezone

START = datetime(2026, 5, 1, 10, 0, tzinfo=timezone.utc)


class Session:
    """Writes a session as Claude Code keeps it; every record comes a second after the one before."""

    def __init__(self, name="s1", folder="/home/me/repo", sidechain=False, second=0):
        self.name, self.folder, self.sidechain, self.second = name, folder, sidechain, second
        self.lines, self.calls = [], 0

    def _record(self, kind, message, **more):
        self.second += 1
        time = (START + timedelta(seconds=self.second)).isoformat().replace("+00:00", "Z")
        record = {"type": kind, "sessionId": self.name, "cwd": self.folder, "isSidechain": self.sidechain,
                  "timestamp": time, "message": message, **more}  # fmt: skip
        self.lines.append(json.dumps(record))
        return self

    def user(self, text):
        return self._record("user", {"role": "user", "content": text})

    def tool(self, tool, asked, result, tokens=10, error=False, text=""):
        """A call and its result; the request of the call costs some tokens."""
        self.calls += 1
        call = f"{self.name}-{self.sidechain}-{self.calls}"
        usage = {"input_tokens": tokens - 1, "output_tokens": 1, "cache_read_input_tokens": 5000}
        use = [{"type": "tool_use", "id": call, "name": tool, "input": asked}]
        self._record("assistant", {"role": "assistant", "id": f"m{call}", "content": use, "usage": usage})
        part = {"type": "tool_result", "tool_use_id": call, "content": text or "SECRET text", "is_error": error}
        more = {} if result is None else {"toolUseResult": result}
        return self._record("user", {"role": "user", "content": [part]}, **more)

    def read(self, path, first, many, total=500, **more):
        file = {"filePath": path, "startLine": first, "numLines": many, "totalLines": total, "content": "SECRET"}
        return self.tool("Read", {"file_path": path}, {"type": "text", "file": file}, **more)

    def grep(self, content, path=None, **more):
        asked = {"pattern": "SECRET"} | ({} if path is None else {"path": path})
        return self.tool("Grep", asked, {"mode": "content", "content": content}, **more)

    def edit(self, path, **more):
        return self.tool("Edit", {"file_path": path, "new_string": "SECRET"}, {"filePath": path}, **more)

    def shell(self):
        return self.tool("Bash", {"command": "cat SECRET"}, {"stdout": "SECRET"})

    def write(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in self.lines))
        return path
