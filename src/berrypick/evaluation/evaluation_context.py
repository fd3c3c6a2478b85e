"""The context of an evaluation: its options with their files read and their texts parsed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick import formats, users
from berrypick.data.arrays import Positions
from berrypick.data.collection import Collection
from berrypick.data.columns import unpacked
from berrypick.data.errors import InputError, UsageError, option
from berrypick.data.navigation import LinkTable, Navigation, Sessions, TransitionCounts
from berrypick.data.parameters import is_finite
from berrypick.data.run import Ranking, Run
from berrypick.data.truth import Offsets
from berrypick.documents.collection_files import ARROW, folder_collection, indexed_collection, is_index
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.protocols.base import OWN, Protocol, get_protocol
from berrypick.files.files import file_name, is_stream, open_raw, reusable
from berrypick.given.convert import as_run
from berrypick.inputs.text_search import TextSearch
from berrypick.targets.idealism import parse_idealism
from berrypick.topics.context import JudgingContext
from berrypick.users.base import ReaderContext

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts


def prepare_context(options: EvaluationOptions) -> JudgingContext:
    """The options with their files read and their texts parsed."""
    navigation, collection, user = options.navigation, options.collection, options.user
    if isinstance(navigation, (str, PathLike)):
        navigation = formats.read_navigation(navigation)
    if isinstance(collection, (str, PathLike)):
        collection = read_collection(collection)
    elif isinstance(collection, Mapping):
        collection = _given_lengths(collection)
    if user is None:
        user = "classical" if navigation is None else _default_user(navigation)
    model, own = users.load(user, navigation)
    if navigation is not None and own is not navigation:
        raise UsageError(f"{user} has transitions of its own: omit {option('navigation')}")
    protocol = get_protocol(options.protocol) if options.protocol else OWN
    named = options.ignore_elements or protocol.ignore_elements
    texts = None
    if options.documents is not None:
        from berrypick.documents.texts import read_texts

        texts = read_texts(options.documents)
    converts = options.offsets not in (None, "chars")
    if texts is None and (converts or options.effort == "tokens" or options.tokenizer is not None):
        raise _needs_texts(options)
    tokens = None
    if texts is not None:
        from berrypick.documents.tokens import token_offsets

        tokens = token_offsets(texts, options.tokenizer)
    return JudgingContext(
        user=model,
        reader=ReaderContext(collection, own, texts, tokens, tokens if options.effort == "tokens" else None),
        units=options.units,
        idealism=None if options.idealism is None else parse_idealism(options.idealism),
        ideal_elements=None if options.ideal_elements is None else _ideal_elements(options.ideal_elements),
        effort=options.effort,
        duplicates=options.duplicates,
        ignore_elements=ignored_elements(options, protocol) if named else frozenset(),
        protocol=protocol.name,
        rules=protocol.rules,
        max_ranks=protocol.longest,
        task=options.task or "",
        unjudged=options.unjudged or "irrelevant",
        whole_documents=options.whole_documents,
        chunks=None if options.chunks is None else _chunks(options.chunks, texts, options.offsets or "chars"),
    )


def _needs_texts(options: EvaluationOptions) -> UsageError:
    """Some options make no sense without the texts of the documents."""
    if options.effort == "tokens":
        what = f"{option('effort', 'tokens')} counts tokens"
    elif options.tokenizer is not None:
        what = f"{option('tokenizer')} counts tokens"
    else:
        what = f"{option('offsets', options.offsets)} converts offsets"
    return UsageError(f"{what} in the texts of the documents: give them with {option('documents')}")


def _chunks(given: Any, texts: Texts | None, offsets: Offsets) -> Mapping[str, tuple[Positions, Positions]]:
    """Every chunk of a chunking once, by document."""
    from berrypick.documents.checked import checked_run

    run = as_run(given, TextSearch(texts, offsets=offsets))
    if run.start is None or run.end is None:
        raise UsageError("chunks must have start and end; these are whole documents")
    if run.unit == "lines":
        raise UsageError("chunks must have start and end in characters; these count lines")
    run = run if texts is None else checked_run(run, texts, offsets)
    assert run.start is not None and run.end is not None
    first, last = unpacked(run.start), unpacked(run.end)
    order = np.lexsort((last, first, run.document))
    document, start, end = run.document[order], first[order], last[order]
    same = (document[1:] == document[:-1]) & (start[1:] == start[:-1]) & (end[1:] == end[:-1])
    once = np.append(True, ~same)[: len(order)]
    document, start, end = document[once], start[once], end[once]
    bounds = np.searchsorted(document, np.arange(len(run.documents) + 1)).tolist()
    return {name: (start[a:b], end[a:b]) for name, (a, b) in zip(run.documents, pairwise(bounds), strict=True)}


def _ideal_elements(given: Run | str | PathLike[str]) -> Mapping[str, frozenset[tuple[str, str]]]:
    """Ideal elements named by hand, as a run: by topic, document and path."""
    run = as_run(given)
    found: dict[str, frozenset[tuple[str, str]]] = {}
    for topic, ranking in run.rankings():
        named = [(ranking.documents[int(ranking.document[row])], *_path(ranking, row)) for row in range(len(ranking))]
        if any(not path or last for _, path, last in named):
            raise UsageError(
                f"{option('ideal_elements')} names elements by their paths; this run has passages or documents"
            )
        found[topic] = frozenset((document, path) for document, path, _ in named)
    return found


def _path(ranking: Ranking, row: int) -> tuple[str, str]:
    return ranking.path_of(row) if ranking.path is not None else ("", "")


def element_names(given: str | Sequence[str]) -> list[str]:
    """Names of elements, from a list or separated by commas."""
    names = given.split(",") if isinstance(given, str) else given
    return [name.strip() for name in names if name.strip()]


#: What the option says where no element is to be ignored, whatever the protocol does.
NO_ELEMENTS = "none"


def ignored_elements(options: EvaluationOptions, protocol: Protocol) -> frozenset[str]:
    """The names of ignored elements: those of the option and of the protocol, which ``none`` switches off."""
    names = element_names(options.ignore_elements)
    if NO_ELEMENTS not in names:
        return frozenset(names) | frozenset(protocol.ignore_elements)
    if len(names) > 1:
        raise UsageError(
            f"{option('ignore_elements', ','.join(names))}: {NO_ELEMENTS} ignores no elements; give it alone, or omit "
            "it"
        )
    return frozenset()


def _default_user(navigation: Navigation) -> str:
    """The user model that a navigation file is for."""
    if isinstance(navigation, LinkTable):
        return "hyperlink"
    return "markov" if isinstance(navigation, (Sessions, TransitionCounts)) else "table"


def read_collection(path: str | PathLike[str]) -> Collection:
    r"""Read lengths of documents, and for XML their structure.

    Parameters
    ----------
    path : str or path
        A folder of XML documents, an index that ``berrypick index`` wrote, or a TAB file with document and length.

    Returns
    -------
    Collection
        What the option ``collection`` takes.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> path = os.path.join(tempfile.mkdtemp(), "lengths.tsv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("guide\t120\nfaq\t80\n")
    >>> bp.read_collection(path).mean_length
    100.0
    """
    name = file_name(path)
    if os.path.isdir(name):
        return folder_collection(name)
    if not is_stream(name):
        return indexed_collection(name) if is_index(name) else formats.read_collection(name)
    with reusable(name):
        with open_raw(name) as stream:
            if stream.read(len(ARROW)) == ARROW:
                raise InputError("is an index, which cannot be read from a pipe", path=name)
        return formats.read_collection(name)


def _given_lengths(lengths: Mapping[str, float]) -> Collection:
    """Lengths of documents from a mapping."""
    found: dict[str, float] = {}
    for name, length in lengths.items():
        if not isinstance(length, (int, float, np.number)) or not (is_finite(length) and length >= 0):
            raise UsageError(f"{option('collection')}: the length of {name!r:.60} is {length!r:.60}, expected a number")
        found[str(name)] = float(length)
    return Collection(found)
