"""One topic of one run, judged: what measures see, for whoever wants to look at it."""

from __future__ import annotations

from os import PathLike
from typing import Any

from berrypick.core.errors import UsageError, nearest
from berrypick.core.judged import Judged
from berrypick.core.run import Run
from berrypick.core.truth import Truth
from berrypick.corpus.objects import as_run, as_truth
from berrypick.evaluate import Judgements, Retrieved, make_setting, placed, refuse_duplicates
from berrypick.evaluate import judge as judged_by

_SETTINGS: dict[str, Any] = {
    "user": None,
    "navigation": None,
    "collection": None,
    "units": None,
    "idealism": None,
    "effort": "rank",
    "topics": "judged",
    "duplicates": None,
}


def judge(
    truth: Truth | Judgements | str | PathLike[str],
    run: Run | Retrieved | str | PathLike[str],
    topic: str,
    **settings: Any,
) -> Judged:
    """The judged ranking of one topic: its targets, the ranking, and what a reader of it sees.

    ``settings`` are those of :func:`berrypick.evaluate`: user, navigation, collection, documents and so on. In a
    notebook the value shows itself.
    """
    judgements, system, topic = as_truth(truth), as_run(run), str(topic)
    setting = make_setting(**{**_SETTINGS, **settings})
    judgements, (system,), setting = placed(judgements, [system], setting)
    if topic not in judgements:
        known = list(judgements.topics)
        offer = nearest(topic, known) or f"; it has {', '.join(known[:8])}{', ...' if len(known) > 8 else ''}"
        raise UsageError(f"topic {topic} is not in {judgements.source or 'the truth'}{offer}")
    refuse_duplicates(system, setting)
    return judged_by(judgements, system, topic, setting)
