"""Pin which format wins for every sample, in every role, when no format is named.

The format of a file follows from its content. Several formats may recognise one content, and then their order decides:
a change of that order, of file names or of how formats are registered must not change what a file is read as. Samples
and shapes are in ``format_shapes.py``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from format_shapes import Shape, json_forms, sample_on, shapes

import berrypick as bp

DOCS = Path(__file__).parents[2] / "docs" / "examples"
#: How ``check`` and refusals name formats.
FOUND = re.compile(r": ([\w-]+)(?: \(or (.+?): the content fits both\))?, ")
LOOKS_LIKE, UNKNOWN = re.compile(r"looks like ([\w-]+) \("), " recognised "
#: How people call the files; the content decides, not the name.
SUFFIXES = (".txt", ".json", ".jsonl", ".csv", ".tsv", ".xml", ".run", ".qrels", ".parquet")
READ = {"truth": bp.read_truth, "run": bp.read_run, "navigation": bp.read_navigation, "collection": bp.read_collection}

#: By sample: what ``berrypick check`` finds, the winner first, then every other format that recognises the content; and
#: the format in which each role reads the file (navigation and collection: the class of the value). ``none``: no known
#: format. ``refused``: a format recognises the file and finds an error in it. A role without an entry refuses the file
#: and says that it looks like the winner. ``golden``: a golden file, by default in no known format for each role.
WINNERS: dict[str, dict[str, str]] = {
    "activitynet": {"check": "activitynet", "truth": "activitynet"},
    "activitynet, indented": {"check": "activitynet", "truth": "activitynet"},
    "activitynet, on one line": {"check": "activitynet", "truth": "activitynet"},
    "agent-traces": {"check": "agent-traces or traces", "run": "agent-traces"},
    "agent-traces, as a list": {"check": "traces with problems", "run": "refused"},
    "bbox-docvqa": {"check": "bbox-docvqa", "truth": "bbox-docvqa"},
    "bbox-docvqa, as a list": {"check": "none"},
    "beir-qrels": {"check": "beir-qrels or span-table-truth, span-table-run", "truth": "beir-qrels", "run": "span-run"},
    "brat": {"check": "brat", "truth": "brat"},
    "browsecomp-run": {"check": "browsecomp-run", "run": "browsecomp-run"},
    "browsecomp-run, as a list": {"check": "none"},
    "charades-sta": {"check": "charades-sta", "truth": "charades-sta"},
    "chunking-evaluation": {
        "check": "chunking-evaluation or span-table-truth, span-table-run",
        "truth": "chunking-evaluation",
        "run": "span-run",
    },
    "claude-session": {"check": "claude-session", "run": "claude-session"},
    "claude-session, as a list": {"check": "none"},
    "client-results": {"check": "client-results or span-run, span-truth", "truth": "refused", "run": "client-results"},
    "client-results, as a list": {"check": "client-results", "run": "client-results"},
    "contextbench": {"check": "contextbench", "truth": "contextbench"},
    "contextbench, as a list": {"check": "none"},
    "contextbench-run": {"check": "contextbench-run", "run": "contextbench-run"},
    "contextbench-run, as a list": {"check": "none"},
    "doccano": {"check": "doccano", "truth": "doccano"},
    "doccano, as a list": {"check": "none"},
    "document-lengths": {"check": "document-lengths", "collection": "Collection"},
    "span-lengths": {"check": "span-lengths", "collection": "Collection"},
    "span-lengths, as a list": {"check": "none"},
    "ego4d-nlq": {"check": "ego4d-nlq", "truth": "ego4d-nlq"},
    "ego4d-nlq, indented": {"check": "ego4d-nlq", "truth": "ego4d-nlq"},
    "ego4d-nlq, on one line": {"check": "ego4d-nlq", "truth": "ego4d-nlq"},
    "ego4d-nlq-run": {"check": "ego4d-nlq-run", "run": "ego4d-nlq-run"},
    "ego4d-nlq-run, indented": {"check": "ego4d-nlq-run", "run": "ego4d-nlq-run"},
    "ego4d-nlq-run, on one line": {"check": "ego4d-nlq-run", "run": "ego4d-nlq-run"},
    "fever": {"check": "fever", "truth": "fever"},
    "fever, as a list": {"check": "none"},
    "fever-rows": {"check": "fever-rows", "truth": "fever-rows"},
    "fever-run": {"check": "fever-run", "run": "fever-run"},
    "fever-run, as a list": {"check": "none"},
    "fitted-user": {"check": "fitted-user"},
    "fitted-user, indented": {"check": "fitted-user"},
    "fitted-user, on one line": {"check": "fitted-user"},
    "genomics-gold": {"check": "genomics-gold", "truth": "genomics-gold"},
    "genomics-run": {"check": "genomics-run or trec-run", "run": "genomics-run"},
    "hotpotqa": {"check": "hotpotqa", "truth": "hotpotqa"},
    "hotpotqa, indented": {"check": "hotpotqa", "truth": "hotpotqa"},
    "hotpotqa, on one line": {"check": "hotpotqa", "truth": "hotpotqa"},
    "hotpotqa, as lines": {"check": "hotpotqa", "truth": "hotpotqa"},
    "hotpotqa-run": {"check": "hotpotqa-run", "run": "hotpotqa-run"},
    "hotpotqa-run, indented": {"check": "hotpotqa-run", "run": "hotpotqa-run"},
    "hotpotqa-run, on one line": {"check": "hotpotqa-run", "run": "hotpotqa-run"},
    "inex-assessments": {"check": "inex-assessments", "truth": "inex-assessments"},
    "inex-fol-run": {"check": "inex-fol-run or trec-run", "run": "inex-fol-run"},
    "inex-fol-truth": {"check": "inex-fol-truth", "truth": "inex-fol-truth"},
    "inex-submission": {"check": "inex-submission", "run": "inex-submission"},
    "kilt": {"check": "kilt or kilt-run", "truth": "kilt", "run": "kilt-run"},
    "kilt, as a list": {"check": "none"},
    "kilt-run": {"check": "kilt or kilt-run", "truth": "kilt", "run": "kilt-run"},
    "kilt-run, as a list": {"check": "none"},
    "label-studio": {"check": "label-studio", "truth": "label-studio"},
    "label-studio, indented": {"check": "label-studio", "truth": "label-studio"},
    "label-studio, on one line": {"check": "label-studio", "truth": "label-studio"},
    "label-studio, as lines": {"check": "doccano with problems", "truth": "refused"},
    "legalbench-rag": {"check": "legalbench-rag", "truth": "legalbench-rag"},
    "legalbench-rag, indented": {"check": "legalbench-rag", "truth": "legalbench-rag"},
    "legalbench-rag, on one line": {"check": "legalbench-rag", "truth": "legalbench-rag"},
    "links": {"check": "links", "navigation": "LinkTable"},
    "locagent": {"check": "locagent", "truth": "locagent"},
    "locagent, as a list": {"check": "none"},
    "locagent-functions": {"check": "locagent-functions", "truth": "locagent-functions"},
    "locagent-functions, as a list": {"check": "none"},
    "locagent-functions-run": {"check": "locagent-functions-run", "run": "locagent-functions-run"},
    "locagent-functions-run, as a list": {"check": "none"},
    "locagent-modules": {"check": "locagent-modules", "truth": "locagent-modules"},
    "locagent-modules, as a list": {"check": "none"},
    "locagent-modules-run": {"check": "locagent-modules-run", "run": "locagent-modules-run"},
    "locagent-modules-run, as a list": {"check": "none"},
    "locagent-run": {"check": "locagent-run", "run": "locagent-run"},
    "locagent-run, as a list": {"check": "none"},
    "locomo": {"check": "locomo", "truth": "locomo"},
    "locomo, indented": {"check": "locomo", "truth": "locomo"},
    "locomo, on one line": {"check": "locomo", "truth": "locomo"},
    "locomo, as lines": {"check": "locomo", "truth": "locomo"},
    "locomo-run": {"check": "locomo-run", "run": "locomo-run"},
    "locomo-run, indented": {"check": "locomo-run", "run": "locomo-run"},
    "locomo-run, on one line": {"check": "locomo-run", "run": "locomo-run"},
    "locomo-run, as lines": {"check": "locomo-run", "run": "locomo-run"},
    "longmemeval": {"check": "longmemeval", "truth": "longmemeval"},
    "longmemeval, indented": {"check": "longmemeval", "truth": "longmemeval"},
    "longmemeval, on one line": {"check": "longmemeval", "truth": "longmemeval"},
    "longmemeval, as lines": {"check": "longmemeval", "truth": "longmemeval"},
    "longmemeval-run": {"check": "longmemeval-run", "run": "longmemeval-run"},
    "longmemeval-run, indented": {"check": "longmemeval-run", "run": "longmemeval-run"},
    "longmemeval-run, on one line": {"check": "longmemeval-run", "run": "longmemeval-run"},
    "longmemeval-run, as lines": {"check": "longmemeval-run", "run": "longmemeval-run"},
    "mediaeval-qrels": {"check": "mediaeval-qrels or trec-run", "truth": "mediaeval-qrels", "run": "trec-run"},
    "mediaeval-run": {"check": "mediaeval-run or trec-run", "run": "mediaeval-run"},
    "mmdocir": {"check": "mmdocir", "truth": "mmdocir"},
    "mmdocir, as a list": {"check": "none"},
    "mtrag-run": {"check": "mtrag-run", "run": "mtrag-run"},
    "mtrag-run, as a list": {"check": "none"},
    "navigation-table": {"check": "navigation-table", "navigation": "ReachTable"},
    "nuggets": {"check": "nuggets", "truth": "nuggets"},
    "nuggets, as a list": {"check": "none"},
    "nuggets-run": {"check": "nuggets-run", "run": "nuggets-run"},
    "nuggets-run, as a list": {"check": "none"},
    "page-qrels": {"check": "page-qrels or trec-run", "truth": "page-qrels", "run": "refused"},
    "patch": {"check": "patch", "truth": "patch"},
    "patch, as a list": {"check": "none"},
    "prodigy": {"check": "prodigy", "truth": "prodigy"},
    "prodigy, as a list": {"check": "none"},
    "qvhighlights": {"check": "qvhighlights", "truth": "qvhighlights"},
    "qvhighlights, as a list": {"check": "none"},
    "qvhighlights-run": {"check": "qvhighlights-run", "run": "qvhighlights-run"},
    "qvhighlights-run, as a list": {"check": "none"},
    "ragtime-reports": {"check": "ragtime-reports", "run": "ragtime-reports"},
    "ragtime-reports, as a list": {"check": "none"},
    "reading-log": {"check": "reading-log"},
    "reading-log, as a list": {"check": "none"},
    "result-list": {"check": "result-list", "truth": "none", "run": "result-list"},
    "result-list, indented": {"check": "result-list", "truth": "none", "run": "result-list"},
    "result-list, on one line": {"check": "result-list", "truth": "none", "run": "result-list"},
    "result-list, as lines": {"check": "span-run", "run": "span-run"},
    "samples": {"check": "samples", "run": "samples"},
    "samples, indented": {"check": "samples", "run": "samples"},
    "samples, on one line": {"check": "samples", "run": "samples"},
    "samples, as lines": {"check": "samples or span-run, span-truth", "truth": "refused", "run": "samples"},
    "scifact": {"check": "scifact", "truth": "scifact"},
    "scifact, as a list": {"check": "none"},
    "scifact-run": {"check": "scifact-run", "run": "scifact-run"},
    "scifact-run, as a list": {"check": "none"},
    "search-hits": {"check": "search-hits", "run": "search-hits"},
    "search-hits, indented": {"check": "search-hits", "run": "search-hits"},
    "search-hits, on one line": {"check": "search-hits", "run": "search-hits"},
    "sessions": {"check": "sessions", "navigation": "Sessions"},
    "span-run": {"check": "span-run", "run": "span-run"},
    "span-run, as a list": {"check": "result-list", "truth": "none", "run": "result-list"},
    "span-table-truth": {"check": "span-table-truth", "truth": "span-table-truth"},
    "span-table-run": {"check": "span-table-run", "run": "span-run"},
    "span-truth": {"check": "span-truth", "truth": "span-truth"},
    "span-truth, as a list": {"check": "span-list-truth", "truth": "span-list-truth"},
    "squad": {"check": "squad", "truth": "squad"},
    "squad, indented": {"check": "squad", "truth": "squad"},
    "squad, on one line": {"check": "squad", "truth": "squad"},
    "topic-dictionary": {
        "check": "topic-dictionary or topic-dictionary-run",
        "truth": "topic-dictionary",
        "run": "topic-dictionary-run",
    },
    "topic-dictionary, as a list": {"check": "none"},
    "topic-dictionary-run": {
        "check": "topic-dictionary or topic-dictionary-run",
        "truth": "topic-dictionary",
        "run": "topic-dictionary-run",
    },
    "topic-dictionary-run, as a list": {"check": "none"},
    "traces": {"check": "traces", "run": "traces"},
    "traces, indented": {"check": "traces", "run": "traces"},
    "traces, on one line": {"check": "traces", "run": "traces"},
    "trec-qrels": {"check": "trec-qrels", "truth": "trec-qrels"},
    "trec-rag-answers": {"check": "trec-rag-answers", "run": "trec-rag-answers"},
    "trec-rag-answers, as a list": {"check": "none"},
    "trec-run": {"check": "trec-run", "run": "trec-run"},
    "trecvid-results": {"check": "trecvid-results", "run": "trecvid-results"},
    "trecvid-topics": {"check": "trecvid-topics", "truth": "trecvid-topics"},
    "tvr": {"check": "tvr", "truth": "tvr"},
    "tvr, as a list": {"check": "none"},
    "tvr-run": {"check": "tvr-run", "run": "tvr-run"},
    "tvr-run, as a list": {"check": "none"},
    "w3c": {"check": "w3c", "truth": "w3c"},
    "w3c, indented": {"check": "w3c", "truth": "w3c"},
    "w3c, on one line": {"check": "w3c", "truth": "w3c"},
    "w3c, as lines": {"check": "w3c", "truth": "w3c"},
    "wikirace": {"check": "wikirace", "navigation": "Sessions"},
    "wikirace, indented": {"check": "wikirace", "navigation": "Sessions"},
    "wikirace, on one line": {"check": "wikirace", "navigation": "Sessions"},
    "trec-qrels, TABs": {"check": "trec-qrels", "truth": "trec-qrels"},
    "trec-qrels, Q0": {"check": "trec-qrels", "truth": "trec-qrels"},
    "trec-run, TABs": {"check": "trec-run", "run": "trec-run"},
    "trec-run, without Q0": {"check": "trec-run", "run": "trec-run"},
    "trec-run, more columns": {"check": "trec-run", "run": "trec-run"},
    "trec-run, whole score": {"check": "trec-run", "run": "trec-run"},
    "trec-run, offsets as tag": {"check": "inex-fol-run or trec-run", "run": "inex-fol-run"},
    "inex-fol-run, without a rank": {"check": "inex-fol-run or trec-run", "run": "inex-fol-run"},
    "inex-fol-truth, nothing relevant": {"check": "inex-fol-truth", "truth": "inex-fol-truth"},
    "inex-fol-truth, passages": {"check": "inex-fol-truth", "truth": "inex-fol-truth"},
    "mediaeval-run, linking": {"check": "mediaeval-run or trec-run", "run": "mediaeval-run"},
    "mediaeval-run, tag": {"check": "mediaeval-run or trec-run", "run": "mediaeval-run"},
    "mediaeval-qrels, irrelevant": {
        "check": "mediaeval-qrels or trec-run",
        "truth": "mediaeval-qrels",
        "run": "trec-run",
    },
    "genomics-gold, one aspect": {"check": "genomics-gold", "truth": "genomics-gold"},
    "genomics-run, TABs": {"check": "genomics-run or trec-run", "run": "genomics-run"},
    "page-qrels, box": {"check": "page-qrels or trec-run", "truth": "page-qrels", "run": "trec-run"},
    "page-qrels, bare": {"check": "page-qrels", "truth": "page-qrels"},
    "beir-qrels, commas": {
        "check": "span-table-truth or span-table-run",
        "truth": "span-table-truth",
        "run": "span-run",
    },
    "charades-sta, one line": {"check": "charades-sta", "truth": "charades-sta"},
    "links, numbers": {"check": "document-lengths or links", "navigation": "LinkTable", "collection": "Collection"},
    "document-lengths, numbers": {
        "check": "document-lengths or links",
        "navigation": "LinkTable",
        "collection": "Collection",
    },
    "document-lengths, blanks": {"check": "none"},
    "navigation-table, whole number": {"check": "navigation-table", "navigation": "ReachTable"},
    "sessions, Wikispeedia": {"check": "sessions", "navigation": "Sessions"},
    "sessions, one page": {"check": "sessions", "navigation": "Sessions"},
    "sessions, names with spaces": {"check": "sessions", "navigation": "Sessions"},
    "span-table-truth, semicolons": {"check": "span-table-truth", "truth": "span-table-truth"},
    "span-table-truth, TABs": {"check": "span-table-truth", "truth": "span-table-truth"},
    "span-table-truth, open": {
        "check": "span-table-truth or span-table-run",
        "truth": "span-table-truth",
        "run": "span-run",
    },
    "span-table-truth, documents": {"check": "span-table-truth", "truth": "span-table-truth"},
    "span-table-truth, quotes": {"check": "span-table-truth", "truth": "span-table-truth"},
    "span-table-truth, questions": {"check": "span-table-truth", "truth": "span-table-truth"},
    "span-table-run, semicolons": {"check": "span-table-run", "run": "span-run"},
    "span-table-run, texts": {"check": "span-table-run", "run": "span-run"},
    "span-table-run, documents": {"check": "span-table-run", "run": "span-run"},
    "span-table-run, places without a score": {"check": "span-table-run", "run": "span-run"},
    "fever-rows, lines": {"check": "fever-rows", "truth": "fever-rows"},
    "chunking-evaluation, other columns": {
        "check": "chunking-evaluation or span-table-truth, span-table-run",
        "truth": "chunking-evaluation",
        "run": "span-run",
    },
    "patch, diff": {"check": "patch", "truth": "patch"},
    "patch, git diff": {"check": "patch", "truth": "patch"},
    "brat, fragments": {"check": "brat or trec-run", "truth": "brat", "run": "refused"},
    "inex-assessments, declaration": {"check": "inex-assessments", "truth": "inex-assessments"},
    "inex-assessments, several": {"check": "inex-assessments", "truth": "inex-assessments"},
    "inex-submission, declaration": {"check": "inex-submission", "run": "inex-submission"},
    "trecvid-topics, one": {"check": "trecvid-topics", "truth": "trecvid-topics"},
    "brat, folder": {"check": "brat", "truth": "brat", "run": "none", "navigation": "refused", "collection": "refused"},
    "browsecomp-run, folder": {
        "check": "browsecomp-run",
        "truth": "none",
        "run": "browsecomp-run",
        "navigation": "refused",
        "collection": "refused",
    },
    "claude-session, folder": {
        "check": "claude-session",
        "truth": "none",
        "run": "claude-session",
        "navigation": "refused",
        "collection": "refused",
    },
    "claude-session, folders": {
        "check": "claude-session",
        "truth": "none",
        "run": "claude-session",
        "navigation": "refused",
        "collection": "refused",
    },
    "inex-assessments, folder": {
        "check": "inex-assessments",
        "truth": "inex-assessments",
        "run": "none",
        "navigation": "refused",
        "collection": "Collection",
    },
    "patch, folder": {
        "check": "patch",
        "truth": "patch",
        "run": "none",
        "navigation": "refused",
        "collection": "refused",
    },
    "texts, folder": {"check": "none", "navigation": "refused", "collection": "refused"},
    "span-truth, quotes": {"check": "span-truth", "truth": "span-truth"},
    "span-truth, questions": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "span-truth, other names": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "span-truth, grades": {"check": "span-truth", "truth": "span-truth"},
    "span-truth, lines": {"check": "span-truth", "truth": "span-truth"},
    "span-truth, times": {"check": "span-truth", "truth": "span-truth"},
    "span-truth, boxes": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "span-truth, no answer": {"check": "span-truth", "truth": "span-truth"},
    "span-truth, annotators": {"check": "span-truth", "truth": "span-truth"},
    "span-truth, open": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "span-truth, texts": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "span-truth, relevant": {
        "check": "span-truth",
        "truth": "span-truth",
        "run": "span-run",
        "navigation": "looks like span-run",
        "collection": "looks like span-run",
    },
    "span-run, ranks": {"check": "span-run", "run": "span-run"},
    "span-run, distances": {
        "check": "span-run",
        "truth": "looks like span-run",
        "run": "span-run",
        "navigation": "looks like reading-log",
        "collection": "looks like reading-log",
    },
    "span-run, texts": {"check": "span-run", "run": "span-run"},
    "span-run, documents": {"check": "span-run", "run": "span-run"},
    "span-run, tag": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "span-run, nested": {"check": "span-run", "run": "span-run"},
    "span-run, nothing": {"check": "span-run", "run": "span-run"},
    "span-run, questions and texts": {"check": "span-run", "run": "span-run"},
    "span-run, questions and contexts": {
        "check": "samples or span-run, span-truth",
        "truth": "span-truth",
        "run": "samples",
    },
    "span-run, questions and retrieved": {"check": "span-run or span-truth", "truth": "refused", "run": "span-run"},
    "span-run, questions and chunks": {"check": "span-run or span-truth", "truth": "refused", "run": "span-run"},
    "span-run, contexts and answer": {"check": "samples or span-truth", "truth": "span-truth", "run": "samples"},
    "span-run, lines": {"check": "span-run", "run": "span-run"},
    "span-run, steps": {"check": "span-run", "run": "span-run"},
    "span-lengths, names": {"check": "span-lengths", "collection": "Collection"},
    "texts, lines": {"check": "none"},
    "texts, BEIR": {"check": "none"},
    "samples, ragas": {"check": "samples or span-run, span-truth", "truth": "refused", "run": "samples"},
    "samples, ragas of old": {"check": "samples or span-run, span-truth", "truth": "span-truth", "run": "samples"},
    "samples, DeepEval": {"check": "samples or span-run, span-truth", "truth": "refused", "run": "samples"},
    "samples, promptfoo": {"check": "samples", "run": "samples"},
    "mtrag-run, questions": {
        "check": "mtrag-run or samples, span-run, span-truth",
        "truth": "refused",
        "run": "mtrag-run",
    },
    "client-results, context": {
        "check": "client-results or span-truth",
        "truth": "span-truth",
        "run": "client-results",
    },
    "client-results, source_documents": {"check": "client-results or span-run", "run": "client-results"},
    "client-results, response": {
        "check": "client-results or span-run, span-truth",
        "truth": "refused",
        "run": "client-results",
    },
    "client-results, rows": {
        "check": "client-results or span-run, span-truth",
        "truth": "refused",
        "run": "client-results",
    },
    "doccano, labels": {"check": "doccano", "truth": "doccano"},
    "doccano, entities": {"check": "doccano", "truth": "doccano"},
    "doccano, data": {"check": "doccano", "truth": "doccano"},
    "prodigy, accepted": {"check": "prodigy", "truth": "prodigy"},
    "prodigy, meta": {"check": "prodigy", "truth": "prodigy"},
    "w3c, lines": {"check": "w3c", "truth": "w3c"},
    "patch, topic": {"check": "patch or span-run, span-truth", "truth": "patch", "run": "refused"},
    "patch, SWE-bench": {"check": "patch", "truth": "patch"},
    "contextbench, patch": {"check": "contextbench or patch", "truth": "contextbench"},
    "contextbench-run, steps": {"check": "contextbench-run", "run": "contextbench-run"},
    "locagent, output": {"check": "locagent or locagent-run", "truth": "locagent", "run": "locagent-run"},
    "locagent, Loc-Bench": {"check": "locagent or patch", "truth": "locagent"},
    "locagent, changes": {"check": "locagent", "truth": "locagent"},
    "locagent-run, files alone": {"check": "locagent-run", "run": "locagent-run"},
    "fever, no evidence": {"check": "fever", "truth": "fever"},
    "fever-run, labels": {"check": "fever-run", "run": "fever-run"},
    "scifact, no evidence": {"check": "scifact", "truth": "scifact"},
    "scifact-run, no evidence": {"check": "scifact-run", "run": "scifact-run"},
    "kilt, paragraphs": {"check": "kilt or kilt-run", "truth": "kilt", "run": "kilt-run"},
    "hotpotqa, lines": {"check": "hotpotqa", "truth": "hotpotqa"},
    "longmemeval, log": {"check": "longmemeval or longmemeval-run", "truth": "longmemeval", "run": "longmemeval-run"},
    "nuggets, assigned": {"check": "nuggets or nuggets-run", "truth": "nuggets", "run": "nuggets-run"},
    "qvhighlights, saliency": {"check": "qvhighlights", "truth": "qvhighlights"},
    "qvhighlights-run, saliency": {"check": "qvhighlights-run", "run": "qvhighlights-run"},
    "trec-rag-answers, old names": {"check": "trec-rag-answers", "run": "trec-rag-answers"},
    "ragtime-reports, lines": {"check": "ragtime-reports", "run": "ragtime-reports"},
    "traces, LangSmith": {"check": "traces", "run": "traces"},
    "traces, Langfuse": {"check": "traces", "run": "traces"},
    "traces, Phoenix": {"check": "traces", "run": "traces"},
    "traces, GenAI of the SDK": {"check": "traces", "run": "traces"},
    "traces, GenAI as OTLP": {"check": "traces", "run": "traces"},
    "traces, GenAI printed": {"check": "traces", "run": "traces"},
    "traces, Langfuse list": {"check": "traces", "run": "traces"},
    "traces, Langfuse spans": {"check": "traces", "run": "traces"},
    "agent-traces, GenAI": {"check": "agent-traces or traces", "run": "agent-traces"},
    "contextbench, blocks": {"check": "contextbench", "truth": "contextbench"},
    "client-results, Haystack documents": {"check": "client-results or span-run", "run": "client-results"},
    "client-results, LangChain.js": {
        "check": "client-results or span-run, span-truth",
        "truth": "refused",
        "run": "client-results",
    },
    "traces, MLflow": {"check": "traces", "run": "traces"},
    "agent-traces, TOOL beside RETRIEVER": {"check": "traces", "run": "traces"},
    "reading-log, bare": {"check": "reading-log"},
    "result-list, texts": {"check": "result-list", "truth": "none", "run": "result-list"},
    "result-list, contexts": {"check": "samples", "run": "samples"},
    "result-list, retrieved": {"check": "result-list", "truth": "none", "run": "result-list"},
    "result-list, spans": {"check": "result-list", "truth": "none", "run": "result-list"},
    "result-list, open": {
        "check": "result-list or span-list-truth",
        "truth": "span-list-truth",
        "run": "result-list",
    },
    "result-list, documents": {"check": "result-list", "truth": "none", "run": "result-list"},
    "result-list, nothing": {"check": "result-list", "truth": "none", "run": "result-list"},
    "golden list, answers": {"check": "samples", "run": "samples"},
    "golden list, ground truth": {"check": "golden"},
    "client-results, by question": {"check": "client-results", "run": "client-results"},
    "client-results, texts by question": {"check": "client-results", "run": "client-results"},
    "client-results, documents by topic": {"check": "client-results", "run": "client-results"},
    "client-results, LlamaIndex": {"check": "client-results", "run": "client-results"},
    "client-results, Haystack": {"check": "client-results", "run": "client-results"},
    "topic-dictionary, one line": {
        "check": "topic-dictionary or topic-dictionary-run",
        "truth": "topic-dictionary",
        "run": "topic-dictionary-run",
    },
    "topic-dictionary-run, one line": {
        "check": "topic-dictionary or topic-dictionary-run",
        "truth": "topic-dictionary",
        "run": "topic-dictionary-run",
    },
    "topic-dictionary, hits as a name": {"check": "none"},
    "samples, ragas list": {"check": "samples", "run": "samples"},
    "samples, DeepEval list": {"check": "samples", "run": "samples"},
    "samples, promptfoo file": {"check": "samples", "run": "samples"},
    "traces, LangSmith list": {"check": "traces", "run": "traces"},
    "traces, Langfuse trace": {"check": "traces", "run": "traces"},
    "traces, Phoenix export": {"check": "traces", "run": "traces"},
    "traces, MLflow list": {
        "check": "traces",
        "truth": "refused",
        "run": "traces",
        "navigation": "looks like label-studio",
        "collection": "looks like label-studio",
    },
    "label-studio, JSON-MIN": {"check": "label-studio", "truth": "label-studio"},
    "w3c, page": {"check": "w3c", "truth": "w3c"},
    "w3c, collection": {"check": "w3c", "truth": "w3c"},
    "w3c, Hypothesis": {"check": "w3c", "truth": "w3c"},
    "squad, 1.1": {"check": "squad", "truth": "squad"},
    "hotpotqa, 2WikiMultihopQA": {"check": "hotpotqa", "truth": "hotpotqa"},
    "locomo, questions": {"check": "locomo", "truth": "locomo"},
    "locomo-run, with evidence": {"check": "locomo or locomo-run, result-list", "truth": "locomo", "run": "locomo-run"},
    "wikirace, list of articles": {"check": "wikirace", "navigation": "Sessions"},
    "wikirace, articles before games": {
        "check": "wikirace",
        "truth": "looks like client-results",
        "run": "refused",
        "navigation": "Sessions",
        "collection": "looks like client-results",
    },
    "tvr-run, two tasks": {"check": "tvr-run", "run": "tvr-run"},
    "search-hits, Chroma": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Qdrant": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Qdrant points": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Pinecone": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Weaviate": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Weaviate objects": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Milvus": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Vespa": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Solr": {
        "check": "search-hits or topic-dictionary, topic-dictionary-run",
        "truth": "refused",
        "run": "search-hits",
    },
    "search-hits, Azure": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Typesense": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Meilisearch": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Bedrock": {"check": "search-hits", "run": "search-hits"},
    "search-hits, OpenAI": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Anthropic": {"check": "search-hits", "run": "search-hits"},
    "search-hits, Gemini": {"check": "search-hits", "run": "search-hits"},
    "prose": {"check": "none"},
    "HTML": {"check": "none"},
    "numbers": {"check": "none"},
    "empty list": {"check": "none"},
    "empty object": {"check": "none"},
    "empty file": {"check": "refused", "navigation": "ReachTable"},
    "comment alone": {"check": "refused", "navigation": "ReachTable"},
    "pickled start": {"check": "none"},
    "zip start": {"check": "refused"},
    "three columns": {"check": "none"},
    "five columns": {"check": "inex-fol-truth with problems", "truth": "refused"},
    "commas without a header": {"check": "none"},
    "span-table-truth, Parquet": {
        "check": "span-table-truth",
        "truth": "span-table-truth",
        "run": "span-run",
    },
    "span-table-run, Parquet": {
        "check": "span-table-run",
        "truth": "refused",
        "run": "span-run",
        "navigation": "looks like span-table-truth",
        "collection": "looks like span-table-truth",
    },
    "fever-rows, Parquet": {
        "check": "refused",
        "navigation": "looks like span-table-truth",
        "collection": "looks like span-table-truth",
    },
    "lengths, Parquet": {
        "check": "refused",
        "navigation": "looks like span-table-truth",
        "collection": "looks like span-table-truth",
    },
}

#: The same for the files of docs/examples; those that are not here are in no known format.
EXAMPLES: dict[str, dict[str, str]] = {
    "after.json": {"check": "result-list with problems", "truth": "none", "run": "refused"},
    "agents/agent.json": {"check": "fitted-user"},
    "agents/by-file.jsonl": {"check": "span-run", "run": "span-run"},
    "agents/by-grep.jsonl": {"check": "span-run", "run": "span-run"},
    "agents/by-line.jsonl": {"check": "span-run", "run": "span-run"},
    "agents/changes/canes-12.diff": {"check": "patch", "truth": "patch"},
    "agents/changes/frost-7.diff": {"check": "patch", "truth": "patch"},
    "agents/changes/labels-3.diff": {"check": "patch", "truth": "patch"},
    "agents/changes.jsonl": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "agents/games.json": {"check": "wikirace", "navigation": "Sessions"},
    "agents/lengths.tsv": {"check": "document-lengths", "collection": "Collection"},
    "agents/links.tsv": {"check": "links", "navigation": "LinkTable"},
    "agents/pages.qrels": {"check": "trec-qrels", "truth": "trec-qrels"},
    "agents/pages.run": {"check": "trec-run", "run": "trec-run"},
    "agents/seeker.json": {"check": "fitted-user"},
    "agents/codex/canes-12.jsonl": {"check": "codex-session", "run": "codex-session"},
    "agents/sessions/canes-12.jsonl": {"check": "claude-session", "run": "claude-session"},
    "agents/sessions/frost-7.jsonl": {"check": "claude-session", "run": "claude-session"},
    "agents/sessions/labels-3.jsonl": {"check": "claude-session", "run": "claude-session"},
    "agents/steps.jsonl": {"check": "span-run", "run": "span-run"},
    "answering.jsonl": {"check": "span-run", "run": "span-run"},
    "answers.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "answers.qrels": {"check": "trec-qrels", "truth": "trec-qrels"},
    "before.json": {"check": "result-list with problems", "truth": "none", "run": "refused"},
    "benchmarks/broad.jsonl": {"check": "fever-run", "run": "fever-run"},
    "benchmarks/claims.jsonl": {"check": "fever", "truth": "fever"},
    "benchmarks/deep.jsonl": {"check": "fever-run", "run": "fever-run"},
    "benchmarks/even.jsonl": {"check": "fever-run", "run": "fever-run"},
    "boxes.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "broken.jsonl": {"check": "span-run with problems", "run": "refused"},
    "broken.run": {"check": "trec-run with problems", "run": "refused"},
    "chain.json": {"check": "fitted-user"},
    "chunks/100.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/200+100.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/200.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/400.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/gold.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "chunks/golden.json": {
        "check": "golden",
        "truth": "none",
        "run": "result-list",
        **dict.fromkeys(("navigation", "collection"), "looks like result-list"),
    },
    "chunks/pitfalls/all-chunks.jsonl": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "chunks/pitfalls/beside.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/pitfalls/border.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/pitfalls/copies.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/pitfalls/exact.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/pitfalls/far.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/pitfalls/gold.jsonl": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "chunks/pitfalls/large.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/pitfalls/overlapping-gold.jsonl": {
        "check": "span-run or span-truth",
        "truth": "span-truth",
        "run": "span-run",
    },
    "chunks/pitfalls/plain.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/pitfalls/right.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/pitfalls/shifted.jsonl": {"check": "span-run", "run": "span-run"},
    "chunks/truth.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "chunks/unclear.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "chunks.jsonl": {"check": "span-run", "run": "span-run"},
    "citations.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "cite/results.json": {"check": "result-list with problems", "truth": "none", "run": "refused"},
    "conformance/mine.json": {
        "check": "topic-dictionary or topic-dictionary-run with problems",
        "truth": "refused",
        "run": "refused",
    },
    "cited.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "claims.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "clicks.tsv": {"check": "navigation-table", "navigation": "ReachTable"},
    "datasets/hits.json": {"check": "search-hits", "run": "search-hits"},
    "datasets/squad.json": {"check": "squad", "truth": "squad"},
    "fixes.qrels": {"check": "trec-qrels", "truth": "trec-qrels"},
    "graded.qrels": {"check": "trec-qrels", "truth": "trec-qrels"},
    "handbook.json": {"check": "result-list with problems", "truth": "none", "run": "refused"},
    "handbook.jsonl": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "inex/bic.run": {"check": "inex-fol-run or trec-run", "run": "inex-fol-run"},
    "inex/micro.qrels": {"check": "inex-fol-truth", "truth": "inex-fol-truth"},
    "inex/ric.run": {"check": "inex-fol-run or trec-run", "run": "inex-fol-run"},
    "inex/thorough.run": {"check": "inex-fol-run or trec-run", "run": "inex-fol-run"},
    "invented.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "judged-again.json": {"check": "result-list with problems", "truth": "none", "run": "refused"},
    "judged.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "large.jsonl": {"check": "span-run", "run": "span-run"},
    "lexical.jsonl": {"check": "span-run", "run": "span-run"},
    "few/model.jsonl": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "few/new.jsonl": {"check": "span-run", "run": "span-run"},
    "few/old.jsonl": {"check": "span-run", "run": "span-run"},
    "few/people.jsonl": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "few/questions.tsv": {"check": "links", "navigation": "LinkTable"},
    "golden.xlsx": {"check": "golden", **dict.fromkeys(READ, "refused")},
    "links.tsv": {"check": "links", "navigation": "LinkTable"},
    "localised.run": {"check": "trec-run", "run": "trec-run"},
    "mine.run": {"check": "trec-run", "run": "trec-run"},
    "moments/activitynet-run.jsonl": {"check": "span-run", "run": "span-run"},
    "moments/activitynet.json": {"check": "activitynet", "truth": "activitynet"},
    "moments/charades-run.jsonl": {"check": "span-run", "run": "span-run"},
    "moments/charades.txt": {"check": "charades-sta", "truth": "charades-sta"},
    "moments/ego4d-run.json": {"check": "ego4d-nlq-run", "run": "ego4d-nlq-run"},
    "moments/ego4d.json": {"check": "ego4d-nlq", "truth": "ego4d-nlq"},
    "moments/predicted.jsonl": {"check": "qvhighlights-run", "run": "qvhighlights-run"},
    "moments/truth.jsonl": {"check": "qvhighlights", "truth": "qvhighlights"},
    "moments/tvr-run.json": {"check": "tvr-run", "run": "tvr-run"},
    "moments/tvr.jsonl": {"check": "tvr", "truth": "tvr"},
    "near.json": {"check": "fitted-user"},
    "nuggets/assigned.jsonl": {"check": "nuggets or nuggets-run", "truth": "nuggets", "run": "nuggets-run"},
    "nuggets/cited.qrels": {"check": "trec-qrels", "truth": "trec-qrels"},
    "nuggets/rag-answers.jsonl": {"check": "trec-rag-answers", "run": "trec-rag-answers"},
    "nuggets/retrieved.jsonl": {"check": "span-run", "run": "span-run"},
    "nuggets/short.jsonl": {"check": "nuggets-run", "run": "nuggets-run"},
    "nuggets/stated.jsonl": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "other.run": {"check": "trec-run", "run": "trec-run"},
    "overlap.jsonl": {"check": "span-run", "run": "span-run"},
    "page-chunks.jsonl": {"check": "span-run", "run": "span-run"},
    "page-queries.tsv": {"check": "links", "navigation": "LinkTable"},
    "passages.jsonl": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "reader.json": {"check": "fitted-user"},
    "reading.jsonl": {"check": "reading-log"},
    "regions.jsonl": {"check": "span-run", "run": "span-run"},
    "results.jsonl": {"check": "span-run", "run": "span-run"},
    "segment-ids.qrels": {"check": "trec-qrels", "truth": "trec-qrels"},
    "segment-ids.run": {"check": "trec-run", "run": "trec-run"},
    "segments.jsonl": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "semantic.jsonl": {"check": "span-run", "run": "span-run"},
    "shop/large.jsonl": {"check": "span-run", "run": "span-run"},
    "shop/small.jsonl": {"check": "span-run", "run": "span-run"},
    "shop/truth.jsonl": {"check": "span-run or span-truth", "truth": "span-truth", "run": "span-run"},
    "small.jsonl": {"check": "span-run", "run": "span-run"},
    "traces/april.jsonl": {"check": "traces", "run": "traces"},
    "traces/judged.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "traces/march.jsonl": {"check": "traces", "run": "traces"},
    "track/broken.run": {"check": "inex-fol-run or trec-run with problems", "run": "inex-fol-run"},
    "track/judged.jsonl": {"check": "span-truth", "truth": "span-truth"},
    "trec-eval/ours.run": {"check": "trec-run", "run": "trec-run"},
    "trec-eval/truth.qrels": {"check": "trec-qrels", "truth": "trec-qrels"},
    "videos.tsv": {"check": "document-lengths", "collection": "Collection"},
    "visits.sessions": {"check": "sessions", "navigation": "Sessions"},
    "whole-pages.jsonl": {"check": "span-run", "run": "span-run"},
    "why/context.jsonl": {"check": "span-run", "run": "span-run"},
    "why/first.jsonl": {"check": "span-run", "run": "span-run"},
    "why/reranked.jsonl": {"check": "span-run", "run": "span-run"},
    "why/truth.jsonl": {"check": "span-truth", "truth": "span-truth"},
}

#: By the format of a sample: the format that each suffix writes its value in. Suffixes without an entry are refused.
WRITTEN: dict[str, dict[str, str]] = {
    "trec-qrels": {
        ".qrels": "trec-qrels",
        ".txt": "trec-qrels",
        ".tsv": "beir-qrels",
        ".csv": "span-table-truth",
        ".parquet": "span-table-truth",
        ".jsonl": "span-truth",
        ".json": "span-truth",
    },
    "span-truth": {
        ".csv": "span-table-truth",
        ".parquet": "span-table-truth",
        ".jsonl": "span-truth",
        ".json": "span-truth",
    },
    "inex-fol-truth": {
        ".qrels": "inex-fol-truth",
        ".txt": "inex-fol-truth",
        ".csv": "span-table-truth",
        ".parquet": "span-table-truth",
        ".jsonl": "span-truth",
        ".json": "span-truth",
    },
    "inex-assessments": {".xml": "inex-assessments"},
    "genomics-gold": {
        ".qrel": "mediaeval-qrels",
        ".tsv": "genomics-gold",
        ".csv": "span-table-truth",
        ".parquet": "span-table-truth",
        ".jsonl": "span-truth",
        ".json": "span-truth",
        ".xml": "trecvid-topics",
    },
    "mediaeval-qrels": {
        ".qrel": "mediaeval-qrels",
        ".csv": "span-table-truth",
        ".parquet": "span-table-truth",
        ".jsonl": "span-truth",
        ".json": "span-truth",
    },
    "trecvid-topics": {
        ".qrel": "mediaeval-qrels",
        ".csv": "span-table-truth",
        ".parquet": "span-table-truth",
        ".jsonl": "span-truth",
        ".json": "span-truth",
        ".xml": "trecvid-topics",
    },
    "trec-run": {
        ".run": "trec-run",
        ".txt": "trec-run",
        ".csv": "span-table-run",
        ".parquet": "span-table-run",
        ".jsonl": "span-run",
        ".json": "span-run",
    },
    "span-run": {
        ".run": "inex-fol-run",
        ".txt": "inex-fol-run",
        ".csv": "span-table-run",
        ".parquet": "span-table-run",
        ".jsonl": "span-run",
        ".json": "span-run",
        ".xml": "inex-submission",
    },
    "inex-fol-run": {
        ".run": "inex-fol-run",
        ".txt": "inex-fol-run",
        ".csv": "span-table-run",
        ".parquet": "span-table-run",
        ".jsonl": "span-run",
        ".json": "span-run",
        ".xml": "inex-submission",
    },
    "inex-submission": {".run": "inex-fol-run", ".txt": "inex-fol-run", ".xml": "inex-submission"},
    "mediaeval-run": {
        ".csv": "span-table-run",
        ".parquet": "span-table-run",
        ".jsonl": "span-run",
        ".json": "span-run",
    },
    "document-lengths": {
        ".txt": "document-lengths",
        ".tsv": "document-lengths",
        ".jsonl": "span-lengths",
        ".json": "span-lengths",
    },
    "links": {".txt": "links", ".tsv": "links"},
    "navigation-table": {".txt": "navigation-table", ".tsv": "navigation-table"},
    "sessions": {".txt": "sessions", ".sessions": "sessions"},
    "wikirace": {".json": "wikirace"},
}


def format_names(berrypick) -> list[str]:
    """Return the names that ``berrypick list formats`` prints, without the format that other tests register."""
    listed = berrypick("list", "formats").out.splitlines()[2:]
    return [name for name in (line.split()[0] for line in listed) if name != "double-colon-run"]


@pytest.fixture
def samples(berrypick) -> dict[str, Shape]:
    """Return every sample by name: those of the pages, as they are and in other forms of JSON, and other shapes."""
    pages = {name: sample_on(berrypick("show", "format", name).out) for name in format_names(berrypick)}
    forms = {f"{name}, {form}": text for name, page in pages.items() for form, text in json_forms(page).items()}
    return {**pages, **forms, **shapes()}


def in_table(samples: dict[str, Shape]) -> dict[str, Shape]:
    return {name: samples[name] for name in WINNERS}


def written(samples: dict[str, Shape], folder: Path, suffix: str) -> dict[str, Path]:
    """Write every sample to a file, or to a folder, that is called after it."""
    paths = {}
    for name, shape in samples.items():
        path = paths[name] = folder / f"{name}{'' if isinstance(shape, dict) else suffix}"
        files = {path / inner: text for inner, text in shape.items()} if isinstance(shape, dict) else {path: shape}
        for file, content in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths


def checked(berrypick, path: Path) -> str:
    """Return what ``berrypick check`` finds: the format, and those that the content leaves open."""
    done = berrypick("check", path)
    if done.out.startswith(f"{path}: golden file, "):
        assert done.code == 0
        return "golden"
    facts = FOUND.match(done.out.removeprefix(str(path)))
    if facts is None:
        assert done.code == 2
        return outcome_of(done.out)
    found = " or ".join(one for one in facts.groups() if one)
    return found if done.code == 0 else f"{found} with problems"


def read_as(role: str, path: Path) -> str:
    """Return the format that a file is read in, or for values without one their class; else why it is refused."""
    try:
        value = READ[role](path)
    except bp.InputError as error:
        return outcome_of(str(error))
    return getattr(value, "format", type(value).__name__)


def outcome_of(refusal: str) -> str:
    if UNKNOWN in refusal:
        return "none"
    other = LOOKS_LIKE.search(refusal)
    return f"looks like {other[1]}" if other else "refused"


def expected(row: dict[str, str], role: str) -> str:
    winner = row["check"].split()[0]
    winner = "none" if winner == "golden" else winner
    return row.get(role, winner if winner in ("none", "refused") else f"looks like {winner}")


def differences(berrypick, paths: dict[str, Path], role: str, table: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return the files whose winner is not the one in the table, with both."""
    wanted = {name: expected(table.get(name, {"check": "none"}), role) for name in paths}
    found = {name: checked(berrypick, path) if role == "check" else read_as(role, path) for name, path in paths.items()}
    return {name: f"{role}: expected {wanted[name]}, found {one}" for name, one in found.items() if one != wanted[name]}


def test_every_format_has_a_sample(berrypick):
    """Without a ``Sample::`` in its docstring, nothing would pin what its files are read as."""
    without = [name for name in format_names(berrypick) if not sample_on(berrypick("show", "format", name).out)]
    assert without == []


def test_a_new_format_wins_its_own_sample(samples, berrypick, tmp_path):
    """A row in the table pins the other formats that recognise it, and what each role reads."""
    new = {name: shape for name, shape in samples.items() if name not in WINNERS and "," not in name}
    winners = {name: checked(berrypick, path).split()[0] for name, path in written(new, tmp_path, "").items()}
    assert winners == {name: name for name in new}


def test_every_shape_has_a_row(samples):
    assert {*shapes()} - {*WINNERS} == set(), "add a row for each"
    assert {*WINNERS} - {*samples} == set(), "rows of samples that are no more"


@pytest.mark.parametrize("role", ["check", *READ])
def test_which_format_wins(role, samples, berrypick, tmp_path):
    assert differences(berrypick, written(in_table(samples), tmp_path, ""), role, WINNERS) == {}


@pytest.mark.parametrize("role", ["check", *READ])
def test_which_format_wins_for_the_examples_of_the_documentation(role, berrypick):
    files = (path for path in DOCS.rglob("*") if path.is_file() and path.suffix != ".pyc")
    paths = {path.relative_to(DOCS).as_posix(): path for path in files}
    assert {*EXAMPLES} <= {*paths}, "rows of examples that are no more"
    assert differences(berrypick, paths, role, EXAMPLES) == {}


def written_as(value, path: Path) -> str | None:
    try:
        return bp.write(value, path).name()
    except bp.UsageError:
        return None


def test_which_format_is_written(samples, tmp_path):
    """A suffix decides where exactly one of its formats can hold the value."""
    paths = written({name: samples[name] for name in WRITTEN}, tmp_path, "")
    values = {name: READ[next(role for role in READ if role in WINNERS[name])](path) for name, path in paths.items()}
    suffixes = sorted({suffix for row in WRITTEN.values() for suffix in row})
    found = {
        name: {suffix: to for suffix in suffixes if (to := written_as(value, tmp_path / f"out{suffix}"))}
        for name, value in values.items()
    }
    assert found == WRITTEN


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_suffix_does_not_matter(suffix, samples, berrypick, tmp_path):
    """Two formats look at the suffix: brat reads the text of FILE.ann from FILE.txt, and a table called .csv that is in
    no known format is refused with what its columns lack."""
    chosen = {name: one for name, one in in_table(samples).items() if suffix != ".txt" or not name.startswith("brat")}
    paths = written(chosen, tmp_path, suffix)
    for role in ("check", *READ):
        found = differences(berrypick, paths, role, WINNERS)
        if suffix == ".csv":
            found = {name: one for name, one in found.items() if not one.endswith("expected none, found refused")}
        assert found == {}
