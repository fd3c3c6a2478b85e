"""Scores of traces as events ``gen_ai.evaluation.result`` of OpenTelemetry: log records in OTLP JSON."""

from __future__ import annotations

import datetime
import json
import re
from typing import TYPE_CHECKING, Any

from berrypick._version import __version__

if TYPE_CHECKING:
    from berrypick.integrations.write_back import TraceScore

EVENT = "gen_ai.evaluation.result"
_INFO = {"severityNumber": 9, "severityText": "INFO"}
_SECOND = 10**9


def names_span(trace: str, span: str) -> bool:
    """Whether ids are those of OpenTelemetry: 16 and 8 bytes in hexadecimal."""
    return re.fullmatch("[0-9a-f]{32}", trace) is not None and re.fullmatch("[0-9a-f]{16}", span) is not None


def log_line(score: TraceScore) -> str:
    """One export with one log record, on one line. Its time is the end of the span that is evaluated: a file that is
    written again is the same."""
    end = nanoseconds(score.end)
    attributes: dict[str, Any] = {
        "gen_ai.evaluation.name": {"stringValue": score.name},
        "gen_ai.evaluation.score.value": {"doubleValue": score.value},
        "gen_ai.evaluation.explanation": {"stringValue": score.signature},
    }
    record = {
        **({} if end is None else {"timeUnixNano": str(end)}),
        **_INFO,
        "eventName": EVENT,
        "attributes": [{"key": name, "value": value} for name, value in attributes.items()],
        "traceId": score.trace,
        "spanId": score.span,
    }
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "berrypick"}}]}
    scope = {"scope": {"name": "berrypick", "version": __version__}, "logRecords": [record]}
    return json.dumps({"resourceLogs": [{"resource": resource, "scopeLogs": [scope]}]}, allow_nan=False) + "\n"


def nanoseconds(time: str) -> int | None:
    """Nanoseconds since 1970 of a number of them, or of a date with a time of day, which is in UTC unless it says
    otherwise; None for anything else."""
    if re.fullmatch(r"[0-9]{1,19}", time):
        return int(time) or None
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:?\d\d)?", time)
    if found is None:
        return None
    zone = {"Z": "+00:00", None: "+00:00"}.get(found[3], found[3])
    try:
        moment = datetime.datetime.strptime(found[1].replace(" ", "T") + zone, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        return None
    since = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    whole = (since.days * 86400 + since.seconds) * _SECOND + int((found[2] or "").ljust(9, "0"))
    return whole if 0 < whole < 1 << 64 else None
