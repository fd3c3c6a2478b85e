"""JSON Schemas of what commands print with ``-o json``: ``berrypick show schema evaluate``.

A schema lists every key. Numbers that may be undefined are null then.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
WHOLE: Schema = {"type": "integer"}
MAYBE_WHOLE: Schema = {"type": ["integer", "null"]}
NUMBER: Schema = {"type": ["number", "null"]}
TRUTH: Schema = {"type": "boolean"}
PLAIN: Schema = {"type": ["string", "number", "boolean", "null"]}


def _each(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _by_name(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _object(keys: dict[str, Schema], more: dict[str, Schema] | None = None, others: Schema | None = None) -> Schema:
    """An object with some keys, perhaps some more, and no others unless their values are described."""
    return {
        "type": "object",
        "properties": {**keys, **(more or {})},
        "required": list(keys),
        "additionalProperties": False if others is None else others,
    }


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _all(schema: Schema, *names: str) -> dict[str, Schema]:
    return dict.fromkeys(names, schema)


_VALUE = {**_all(TEXT, "run", "topic", "measure"), "value": NUMBER, "signature": TEXT}
_ENDS = _all(NUMBER, "low", "high")
_PAIR_OF_NUMBERS = _or_null({"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2})
_ASSISTED = {**_all(NUMBER, "people", "model", "worth", "bias", "bias_low", "bias_high", "correlation"),
             "model_topics": MAYBE_WHOLE}  # fmt: skip
_COSTS = _by_name(_object({**_all(NUMBER, "mean", "median", "p95"), "n": WHOLE}))
_PLACE = _object({}, {"doc": MAYBE_TEXT}, PLAIN)
#: What a fitted reader says of its log and its checks differs from model to model.
_FACTS = _by_name({"anyOf": [PLAIN, _by_name(PLAIN)]})

_READER = _object(
    {
        "fitted": WHOLE,
        **_all(TEXT, "user", "model", "checksum"),
        **_all(MAYBE_TEXT, "unit", "agent", "version"),
        "sessions": _or_null(_object({"count": MAYBE_WHOLE, "checksum": MAYBE_TEXT})),
        "period": _or_null(_object(_all(MAYBE_TEXT, "first", "last"))),
        "parameters": _by_name(_object({"value": PLAIN}, _ENDS)),
        "confidence": NUMBER,
        "data": _FACTS,
        "split": _FACTS,
        "held_out": _or_null(_FACTS),
        "calibration": _each(_FACTS),
        "notes": _each(TEXT),
    },
    {
        "kind": TEXT,
        "law": _or_null(
            _object({"of": _each(TEXT), "covariance": _each(_each(NUMBER))}, {"scales": _each(TEXT)}),
        ),
        "weight": NUMBER,
    },
)

_COMPARED = _object(
    {
        **_all(TEXT, "versus", "interval"),
        **_all(WHOLE, "topics", "left_out", "wins", "ties", "losses"),
        **_all(NUMBER, "difference", "low", "high", "statistic", "p", "p_adjusted", "effect"),
        **_all(TRUTH, "exact", "significant", "better"),
    },
    {
        **_all(NUMBER, "unjudged_low", "unjudged_high", "detectable", "level", "reader_low", "reader_high"),
        "could_turn_round": TRUTH,
        "detectable_reason": TEXT,
        **_ASSISTED,
    },
)

_OVER = _object(
    {
        "parameter": TEXT,
        "from": NUMBER,
        "to": NUMBER,
        "scale": TEXT,
        "values": _each(
            _object({"run": TEXT, "measure": TEXT, "at": {"anyOf": [NUMBER, _each(NUMBER)]}, "value": NUMBER}),
        ),
        "pairs": _each(
            _object(
                {**_all(TEXT, "measure", "a", "b"), "crossings": _each({}), **_all(NUMBER, "share_a", "share_b")},
                others={},
            )
        ),
    },
    others={},
)

_VERDICT = _object(
    {
        **_all(TEXT, "measure", "a", "b", "verdict"),
        "topics": _object(_all(NUMBER, "p", "low", "high")),
        **_all(_PAIR_OF_NUMBERS, "unjudged", "together", "reader", "over", "joint"),
    }
)

_ROWS: dict[str, tuple[str, Schema]] = {
    "evaluate": (
        "A row for each run, topic and measure; means have the topic all.",
        _object(
            _VALUE,
            {
                "costs": _COSTS,
                "curve": _each(_each(NUMBER)),
                "group": MAYBE_TEXT,
                "topics": MAYBE_WHOLE,
                **_ENDS,
                "interval": MAYBE_TEXT,
                **_all(NUMBER, "reader_low", "reader_high"),
                **_ASSISTED,
            },
        ),
    ),
    "compare": (
        "A row for each run and measure with every comparison; with --over one object, with --assumptions a verdict "
        "for each pair.",
        {
            "anyOf": [
                _object(
                    {
                        **_VALUE,
                        **_ENDS,
                        "interval": TEXT,
                        **_all(WHOLE, "topics", "undefined"),
                        "increasing": {"type": ["boolean", "null"]},
                        "baseline": MAYBE_TEXT,
                        "label": TEXT,
                        "beats": _each(TEXT),
                        "comparisons": _each(_COMPARED),
                    },
                    {
                        "group": MAYBE_TEXT,
                        "look": MAYBE_WHOLE,
                        "ledger_head": MAYBE_TEXT,
                        "costs": _COSTS,
                        **_all(NUMBER, "reader_low", "reader_high"),
                        **_ASSISTED,
                    },
                ),
                _OVER,
                _VERDICT,
            ]
        },
    ),
    "diagnose": (
        "A row for each run and target with its class; with stages also a row for the topic all, with what each stage "
        "has, gains and loses. With --by, the field of the groups is a key as well.",
        {
            "anyOf": [
                _object(
                    {
                        **_all(TEXT, "run", "topic", "topic_class", "class"),
                        "target": _PLACE,
                        "text": MAYBE_TEXT,
                        "ranks": _by_name(_each(WHOLE)),
                        "question": MAYBE_TEXT,
                    },
                    others=PLAIN,
                ),
                _object(
                    {
                        **_all(TEXT, "run", "topic"),
                        "stages": _each(
                            _object(
                                {"stage": TEXT, **_all(NUMBER, "held", "held_low", "held_high")},
                                {
                                    **_all(NUMBER, "gained", "gained_low", "gained_high"),
                                    **_all(NUMBER, "lost", "lost_low", "lost_high"),
                                },
                            )
                        ),
                        "oracle_reranker": _or_null(_by_name(NUMBER)),
                    },
                    others={},
                ),
            ]
        },
    ),
    "check": (
        "With --laws a row for each measure and law, with --track a row for each problem.",
        {
            "anyOf": [
                _object(
                    {**_all(TEXT, "measure", "law"), "variants": WHOLE, "found": TEXT, "why": TEXT, "seed": WHOLE},
                    others={},
                ),
                _object({"file": TEXT, "line": MAYBE_WHOLE, **_all(TEXT, "rule", "message")}),
            ]
        },
    ),
    "history": (
        "A row for each look of the ledger.",
        _object(
            {
                "line": WHOLE,
                **_all(TEXT, "time", "run", "measure", "truth", "signature"),
                **_all(NUMBER, "value", "low", "high", "baseline_value", "level", "best"),
                **_all(WHOLE, "topics", "look", "looks_similar"),
                **_all(MAYBE_TEXT, "verdict", "baseline", "best_run", "break", "commit"),
                "increasing": {"type": ["boolean", "null"]},
            }
        ),
    ),
    "diff": (
        "A row for each value that changed; means have the topic all.",
        _object(
            {
                **_all(TEXT, "run", "topic", "measure", "status"),
                **_all(NUMBER, "old", "new", "change"),
                **_all(MAYBE_TEXT, "signature", "old_signature"),
            }
        ),
    ),
    "fit": ("One object, the content of the file of the reader without its transitions and visits.", _READER),
    "simulate": (
        "A row for each run and measure, with -q for each topic too.",
        _object(
            {
                **_VALUE,
                **_all(NUMBER, "simulated", "error", "difference", "versus_first", "versus_first_error", "deviation"),
                **_all(NUMBER, "p5", "p25", "p50", "p75", "p95"),
                "together": TEXT,
            },
            {"group": MAYBE_TEXT},
        ),
    ),
    "ideal": (
        "The best list found for each recall value (r) or gain-recall level.",
        _object(
            {
                **_all(TEXT, "topic", "measure", "signature"),
                "r": MAYBE_WHOLE,
                **_all(NUMBER, "level", "readers", "value", "bound", "gap"),
                **_all(WHOLE, "targets", "candidates"),
                "list": _each(TEXT),
            }
        ),
    ),
    "stability": (
        "A row for each measure, with the significance level of every pair of runs.",
        _object(
            {
                **_all(TEXT, "measure", "signature"),
                **_all(WHOLE, "runs", "topics", "pairs"),
                **_all(NUMBER, "discriminative_power", "low", "high", "required_difference"),
                **_all(NUMBER, "swap_rate", "swap_rate_low", "swap_rate_high", "trusted_difference", "trusted_share"),
                "levels": _each(_object({**_all(TEXT, "run", "versus"), **_all(NUMBER, "difference", "asl")})),
                "swaps": _each(
                    _object({**_all(NUMBER, "from", "to"), **_all(WHOLE, "comparisons", "swaps", "ties")}),
                ),
            },
            {"clusters": MAYBE_WHOLE},
        ),
    ),
    "power": (
        "A row for each measure and difference to detect.",
        _object(
            {
                **_all(TEXT, "measure", "signature"),
                **_all(WHOLE, "topics", "pairs"),
                **_all(NUMBER, "deviation", "deviation_low", "deviation_high", "smallest_difference"),
                **_all(NUMBER, "smallest_difference_low", "smallest_difference_high", "smallest_difference_largest"),
                "detect": NUMBER,
                **_all(MAYBE_WHOLE, "topics_needed", "topics_needed_low", "topics_needed_high"),
                "topics_needed_largest": MAYBE_WHOLE,
                "comparisons": _each(
                    _object(
                        {
                            **_all(TEXT, "run", "versus"),
                            "topics": WHOLE,
                            **_all(NUMBER, "difference", "deviation", "smallest_difference"),
                            "topics_needed": MAYBE_WHOLE,
                        },
                        {"clusters_needed": MAYBE_WHOLE},
                    )
                ),
            },
            _all(MAYBE_WHOLE, "clusters", "clusters_needed"),
        ),
    ),
    "correlate": (
        "A row for each pair of rankings.",
        _object(
            {
                **_all(MAYBE_TEXT, "measure", "versus", "source", "versus_source", "reason", "signature"),
                **_all(WHOLE, "runs", "topics", "concordant", "discordant", "tied", "undefined_resamples"),
                **_all(NUMBER, "tau", "low", "high", "tau_ap", "tau_ap_low", "tau_ap_high"),
                **_all(NUMBER, "tau_ap_b", "tau_ap_b_low", "tau_ap_b_high"),
                "signatures": _each(TEXT),
            },
            {"clusters": MAYBE_WHOLE},
        ),
    ),
    "sweep": (
        "A row for each setting and measure; the parameters of the grid are keys as well.",
        _object(
            {
                **_all(TEXT, "run", "measure", "signature"),
                **_all(NUMBER, "value", "low", "high", "optimism"),
                "interval": MAYBE_TEXT,
                "topics": WHOLE,
            },
            {"chunks": MAYBE_WHOLE},
            PLAIN,
        ),
    ),
    "abstention": (
        "A row for each run and score threshold.",
        _object({"run": TEXT, **_all(NUMBER, "min_score", "Abstained", "Answered")}),
    ),
    "nuggets": (
        "A row for each run.",
        _object(
            {"run": TEXT, **_all(WHOLE, "retrieved_and_said", "retrieved_and_lost", "said_not_retrieved", "neither")}
        ),
    ),
    "conformance": (
        "A row for each tool, case and measure.",
        _object(
            {
                **_all(TEXT, "tool", "case", "measure"),
                **_all(MAYBE_TEXT, "version", "convention", "error"),
                **_all(NUMBER, "expected", "value"),
                "agrees": TRUTH,
            }
        ),
    ),
    "list": (
        "A row for each measure, user model, format, protocol or command; for papers a row for each item.",
        {
            "anyOf": [
                _object(_all(TEXT, "name", "description"), _all(TEXT, "role", "version", "checksum", "task")),
                _object(_all(TEXT, "paper", "section", "equation", "kind", "item", "call")),
            ]
        },
    ),
    "show": (
        "An object for each kind that has the name; the keys depend on the kind.",
        {"anyOf": [_READER, _object({"kind": TEXT, "name": TEXT}, others={})]},
    ),
}

#: What a command writes to standard error instead, if it fails under -o json.
_ERROR = _object(
    {
        "error": _object({**_all(TEXT, "code", "message"), "fix": MAYBE_TEXT, "file": MAYBE_TEXT, "line": MAYBE_WHOLE}),
    }
)


def names() -> list[str]:
    """Names of the schemas: the commands that print JSON, and the error."""
    return [*_ROWS, "error"]


def schema_of(name: str) -> Schema | None:
    """Return the schema of a command's output, or of an error; None for any other name."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    if name == "error":
        return {**head, "title": "berrypick error", "description": "One line of standard error.", **_ERROR}
    if name not in _ROWS:
        return None
    about, row = _ROWS[name]
    return {**head, "title": f"berrypick {name} -o json", "description": about, "type": "array", "items": row}
