"""The uncertainty of a fitted reader: the same topics scored for readers drawn from the law of its estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

from berrypick import users
from berrypick.data.drawn import drawn_interval
from berrypick.data.errors import UsageError
from berrypick.data.navigation import FittedReader
from berrypick.data.results import Note
from berrypick.data.score import number
from berrypick.data.words import counted
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.evaluation.scoring import RunScorer
from berrypick.topics.context import JudgingContext
from berrypick.users import UserModel

if TYPE_CHECKING:
    from berrypick.evaluation.evaluation import Evaluation


@dataclass(frozen=True, eq=False)
class FittedUser:
    """A fitted user model, by itself or as what another one takes for ``of``."""

    fitted: FittedReader
    around: UserModel | None = None

    @classmethod
    def read(cls, given: Any) -> FittedUser | None:
        """From what the option user takes; None where nothing is fitted."""
        if (fitted := users.read_fitted(given)) is not None:
            return cls(fitted)
        if given is None:
            return None
        model = users.build(given)
        inner = getattr(model, "of", None)
        fitted = users.read_fitted(inner) if users.is_file(inner) else None
        return None if fitted is None else cls(fitted, model)

    def context(self, context: JudgingContext, number: int, of: int) -> JudgingContext:
        """The context of one of the readers drawn."""
        drawn = self.fitted.draw(number, of)
        model = users.build(drawn.user)
        if self.around is not None:
            model = replace(self.around, of=drawn.user)  # type: ignore[call-arg]
        navigation = drawn.navigation
        reader = context.reader if navigation is None else replace(context.reader, navigation=navigation)
        return context.read_by(model.resolved(reader), reader)


@dataclass(frozen=True, eq=False)
class DrawnReaders:
    """Which measures are read by a fitted user model whose law is known, and how many readers are drawn from it."""

    fitted: dict[str, FittedUser]  # by the text of a measure
    count: int

    @property
    def confidence(self) -> float:
        return min((one.fitted.confidence for one in self.fitted.values()), default=0.95)

    @property
    def evenly(self) -> bool:
        return all(one.fitted.evenly for one in self.fitted.values())

    @property
    def source(self) -> str:
        return ", ".join(dict.fromkeys(one.fitted.user for one in self.fitted.values()))

    def contexts(self, evaluation: Evaluation, number: int) -> dict[str, JudgingContext]:
        """By measure, the context of one of the readers."""
        made: dict[tuple[int, JudgingContext], JudgingContext] = {}
        found = {}
        for text, user in self.fitted.items():
            key = (id(user), evaluation.contexts[text])
            if key not in made:
                made[key] = user.context(evaluation.contexts[text], number, self.count)
            found[text] = made[key]
        return found


def drawn_readers(evaluation: Evaluation, count: int) -> tuple[DrawnReaders | None, list[Note]]:
    """The measures that a fitted user model reads; a note where its file does not say what its log leaves open.

    None where no user model is fitted, or no readers are wanted.
    """
    if not isinstance(count, Integral) or isinstance(count, bool) or count < 0:
        raise UsageError(f"reader_draws must be a whole number, 0 or more, not {count!r:.60}")
    if not count:
        return None, []
    found = fitted_users(evaluation.measures, evaluation.options.user)
    lacking = dict.fromkeys(str(one.fitted) for one in found.values() if not one.fitted.has_law)
    notes = [
        Note("no reader interval", f"{name} does not say how well its log determines the reader: there is no interval "
             "over readers; fit it again")
        for name in lacking
    ]  # fmt: skip
    known = {text: one for text, one in found.items() if one.fitted.has_law}
    fitted = found or FittedUser.read(evaluation.options.user) is not None
    return DrawnReaders(known, int(count)) if fitted else None, notes


def fitted_users(measures: Sequence[RequestedMeasure], user: Any) -> dict[str, FittedUser]:
    """The fitted user model of each measure that is read by one: the measure's own, or that of the evaluation."""
    read: dict[str, FittedUser | None] = {}
    found = {}
    for one in measures:
        if "user" not in one.measure.dependencies():
            continue
        own = one.measure.user_model()
        key = "" if own is None else own
        if key not in read:
            read[key] = FittedUser.read(user if own is None else own)
        if (fitted := read[key]) is not None:
            found[one.text] = fitted
    return found


def explain_readers(evaluation: Evaluation, run: str, topic: str, count: int) -> list[str]:
    """What a fitted user model leaves open of one value, for an explanation."""
    readers, notes = drawn_readers(evaluation, count)
    [one] = evaluation.measures
    if readers is None or one.text not in readers.fitted:
        return [str(note) for note in notes]
    scorer = RunScorer(replace(evaluation, readers=readers), evaluation.runs[run], False, all_notes=False)
    scorer.score_drawn([topic])
    low, high = drawn_interval(scorer.scores.drawn[one.text, topic], readers.confidence, readers.evenly)
    if low is None or high is None:
        return []
    percent, fitted = f"{100 * readers.confidence:.4g}%", readers.fitted[one.text].fitted
    known = ", ".join(
        f"{name} {value['value']:.4g} [{value['low']:.4g}, {value['high']:.4g}]"
        for name, value in fitted.content["parameters"].items()
    )
    return [
        f"{fitted} was estimated from a log ({known}). For {counted(count, 'reader')} consistent with "
        f"the log, {percent} of the values of {one.text} are in [{number(low, 6)}, {number(high, 6)}]."
    ]
