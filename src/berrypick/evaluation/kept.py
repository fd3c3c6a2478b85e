"""What an evaluation keeps on its truth for the next one: everything but the runs.

A training loop evaluates one run after the other by the same truth, measures and options. Preparing the truth and the
options is then done once. Only options that are texts and numbers are kept: files and objects may change.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from berrypick.data.truth import Truth
from berrypick.evaluation.options import EvaluationOptions
from berrypick.registry.registry import changes

if TYPE_CHECKING:
    from berrypick.evaluation.evaluation import Evaluation

#: So many evaluations are kept on a truth: of several sets of measures in turn.
_MOST = 8
#: A dictionary with more judgements is not copied.
_MOST_JUDGEMENTS = 200_000
#: The last truth that was given as a dictionary, with a copy of that.
_last: list[tuple[dict[Any, Any], Truth]] = []


def kept_key(measures: Any, options: EvaluationOptions) -> Hashable | None:
    """Return what the evaluation of a truth is kept under; None where it cannot be."""
    if options.kept_as is None:
        return None
    asked = (measures,) if type(measures) is str else measures
    if type(asked) not in (list, tuple) or not all(type(one) is str for one in asked):
        return None  # objects may change
    return (*asked, type(measures), options.kept_as, changes())


def known_truth(given: Any) -> Any:
    """Return the truth that was made of an equal dictionary the last time; else what is given."""
    if type(given) is not dict or not _last:
        return given
    [(known, truth)] = _last
    return truth if _is_plain(given) and given == known else given  # arrays cannot be compared


def find_kept(truth: Any, key: Hashable) -> Evaluation | None:
    """Return the evaluation without runs that was kept on a truth."""
    return truth._kept.get(key) if isinstance(truth, Truth) else None


def keep(given: Any, read: Truth, key: Hashable, evaluation: Evaluation) -> None:
    """Keep an evaluation on the truth as it was read; a dictionary is known again by its copy."""
    if read.lengths:
        return  # these change how long documents are for the steps of a run
    if type(given) is dict and _is_plain(given):
        if sum(map(len, given.values())) > _MOST_JUDGEMENTS:
            return
        _last[:] = [({topic: dict(judged) for topic, judged in given.items()}, read)]
    elif given is not read:
        return
    while len(read._kept) >= _MOST:
        del read._kept[next(iter(read._kept))]
    read._kept[key] = evaluation._for_next_runs()


def _is_plain(given: dict[Any, Any]) -> bool:
    """Whether a dictionary has whole grades of documents by topic; True and 1.0 are equal to 1, and are refused."""
    return all(type(judged) is dict and {*map(type, judged.values())} <= {int} for judged in given.values())
