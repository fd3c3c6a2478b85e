"""What texts say about the offsets and quotes of a file, before anything is evaluated."""

from __future__ import annotations

from berrypick.data.errors import InputError, Message
from berrypick.data.run import Run
from berrypick.data.strings import settled
from berrypick.data.truth import Offsets, Truth
from berrypick.data.words import counted
from berrypick.documents.checked import checked_by_itself, checked_run, checked_truth
from berrypick.documents.placed import TextRules, waiting_rows, with_text_places
from berrypick.documents.quotes import located_truth
from berrypick.documents.texts import Texts


def check_by_texts(value: object, texts: Texts | None, offsets: Offsets | None) -> tuple[list[str], list[InputError]]:
    """What texts say about the offsets and quotes of a truth or run: what is worth knowing, and what is wrong.

    A truth whose file holds texts is compared with these, and with the documents where they are given.
    """
    found: list[str] = []
    wrong: list[InputError] = []
    if texts is not None and isinstance(value, (Truth, Run)) and value.unit:
        return [f"positions count {value.unit}: not compared with the documents"], []
    if isinstance(value, Run) and value.texts.strings and texts is not None:
        value = settled(value, (texts,))
    try:
        if isinstance(value, Truth) and value.texts:
            found += _said_of(value, checked_by_itself(value), "the file itself")
        if isinstance(value, Truth) and value.units == "spans" and texts is not None:
            counting = value.offsets or offsets or "chars"
            checked = checked_truth(value, texts, counting)
            located_truth(checked, texts, "exact", counting)
            found += _said_of(value, checked, "the documents")
        if isinstance(value, Run) and value.start is not None and texts is not None:
            said = checked_run(value, texts, offsets or "chars").notes[len(value.notes) :]
            compared = f"{counted(len(value.texts.quoted), 'text')} compared with the documents"
            found += [compared if value.texts.quoted else "offsets are within the documents", *said]
        elif isinstance(value, Run) and value.texts.quoted and texts is not None:
            placed = with_text_places(value, waiting_rows(value, True), texts, TextRules())
            found.append(
                f"{counted(len(value.texts.quoted) - len(placed.texts.unplaced), 'text')} found in the documents"
            )
            found += placed.notes[len(value.notes) :]
    except InputError as error:
        wrong.append(error)
    return found, wrong


def _said_of(truth: Truth, checked: Truth, against: str) -> list[str]:
    """The notes of a check, and how much was compared."""
    quotes = sum(quote.has_offsets for topic in truth.topics.values() for quote in topic.quotes)
    where = f"{truth.source or 'the truth'}: "
    said = [Message(text).template.removeprefix(where) for text in checked.notes[len(truth.notes) :]]
    compared = f"{counted(quotes, 'quote')} compared with {against}" if quotes else f"offsets are within {against}"
    return [compared, *said]
