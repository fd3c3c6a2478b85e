"""Files of every format, all invented: the samples of the formats' pages, and other shapes in which people have them.

A shape is a text, or a folder as a dictionary of file names and texts, or the bytes of a binary file.
"""

from __future__ import annotations

import io
import json
import textwrap
from typing import Any

#: What a file or a folder of files contains.
Shape = str | bytes | dict[str, str]

_HIT = {"source": "guide.md", "start_index": 40, "text": "Cut old canes."}
_DOCUMENT = {"page_content": "Cut old canes.", "metadata": {"source": "guide.md", "start_index": 40}}
_ROW = {"doc": "guide.md", "start": 40, "end": 54}
_TEXT_ROW = {"text": "Cut old canes.", "source": "guide.md", "score": 0.9}
_QUESTION = "When are canes cut?"
_DIFF = "--- a/jam.py\n+++ b/jam.py\n@@ -3,2 +3,2 @@\n pot = 1\n-lid = 2\n+lid = 3\n"
_SESSION = (
    '{"type": "user", "sessionId": "s1", "cwd": "/repo", "message": {"role": "user", "content": "Fix the lid."}}\n'
    '{"type": "assistant", "sessionId": "s1", "cwd": "/repo", "message": {"role": "assistant", "content": '
    '[{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/repo/jam.py"}}]}}\n'
    '{"type": "user", "sessionId": "s1", "cwd": "/repo", "message": {"role": "user", "content": '
    '[{"type": "tool_result", "tool_use_id": "t1"}]}, "toolUseResult": '
    '{"file": {"filePath": "/repo/jam.py", "startLine": 1, "numLines": 9, "totalLines": 9}}}\n'
)
_ASSESSMENTS = (
    '<assessments topic="{0}">\n <file name="jam">\n'
    '  <best-entry-point path="/article[1]/p[2]"/>\n'
    '  <element path="/article[1]/p[2]" exhaustivity="2" size="40" rsize="40"/>\n'
    '  <element path="/article[1]" exhaustivity="2" size="90" rsize="40"/>\n </file>\n</assessments>\n'
)
_RETRIEVER = {"name": "search", "span_kind": "RETRIEVER", "parent_id": None, "start_time": "2031-05-01T10:00:00",
              "context": {"trace_id": "t1", "span_id": "a"}, "attributes": {
                  "input.value": _QUESTION, "retrieval.documents.0.document.content": "Cut old canes."}}  # fmt: skip
_OBSERVATION = {"id": "a", "traceId": "t1", "type": "RETRIEVER", "name": "search", "parentObservationId": None,
                "startTime": "2031-05-01T10:00:00Z", "input": {"query": _QUESTION}, "output": [_DOCUMENT]}  # fmt: skip
_GENAI: dict[str, Any] = {
    "name": "retrieval kb", "context": {"trace_id": "0x5b8efff798038103d269b633813fc60c",
                                        "span_id": "0xeee19b7ec3c1b174", "trace_state": "[]"},
    "kind": "SpanKind.INTERNAL", "parent_id": None, "start_time": "2026-05-01T10:00:00.5Z",
    "attributes": {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": _QUESTION,
                   "gen_ai.retrieval.documents": [{"id": "guide.md", "score": 0.9, "text": "Cut old canes."}]},
}  # fmt: skip
_MLFLOW = {"info": {"trace_id": "t1"}, "data": {"spans": [
    {"name": "search", "span_id": "a", "parent_span_id": None, "start_time_unix_nano": 1, "attributes": {
        "mlflow.spanType": '"RETRIEVER"', "mlflow.spanInputs": json.dumps({"query": _QUESTION}),
        "mlflow.spanOutputs": json.dumps([_DOCUMENT])}}]}}  # fmt: skip
_LANGSMITH = {"id": "a", "trace_id": "t1", "name": "search", "run_type": "retriever", "inputs": {"query": _QUESTION},
              "start_time": "2031-05-01T10:00:00", "outputs": {"documents": [_DOCUMENT]}}  # fmt: skip
_TASK = {"text": "Cut old canes.", "topic": "q", "doc": "guide.md"}
_SELECTED = {"source": "guide.md", "selector": {"type": "TextQuoteSelector", "exact": "Cut old canes."}}
_ANNOTATION = {"type": "Annotation", "target": _SELECTED, "body": [
    {"purpose": "tagging", "value": "topic:q"}, {"purpose": "assessing", "value": "relevant"}]}  # fmt: skip


def _lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _store(response: Any) -> str:
    """What a store returned for one topic."""
    return json.dumps({"q": response}, indent=1) + "\n"


def _parquet(*rows: dict[str, Any]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([*rows]), out)
    return out.getvalue()


def shapes() -> dict[str, Shape]:
    """Return other shapes by name: the format that they are meant for, then the shape."""
    return {**_TABLES, **_FOLDERS, **_BY_LINES, **_WHOLE, **_STORES, **_PLAIN, **_parquet_files()}


#: Lines and columns of text.
_TABLES: dict[str, Shape] = {
    "trec-qrels, TABs": "q\t0\tjam\t1\nq\t0\tlid\t0\n",
    "trec-qrels, Q0": "q Q0 jam 1\nq Q0 lid 0\n",
    "trec-run, TABs": "q\tQ0\tjam\t1\t2.5\tmine\n",
    "trec-run, without Q0": "q 0 jam 1 2.5 mine\n",
    "trec-run, more columns": "q Q0 jam 1 2.5 mine and more\n",
    "trec-run, whole score": "q Q0 jam 1 25 mine\n",
    "trec-run, offsets as tag": "q Q0 jam 1 2.5 7 40 14\n",
    "inex-fol-run, without a rank": "q Q0 jam 0 2.5 mine 40 14\n",
    "inex-fol-truth, nothing relevant": "q Q0 jam 0 90\n",
    "inex-fol-truth, passages": "q Q0 jam 20 90 40 40:14 60:6\n",
    "mediaeval-run, linking": "a1 Q0 v1 17.10 20.00 1 0.9 mine\n",
    "mediaeval-run, tag": "q1 Q0 v1 17.10 20.00 17.10 1 0.9 mine\n",
    "mediaeval-qrels, irrelevant": "q1 Q0 v1 17.10 20.00 0\n",
    "genomics-gold, one aspect": "200\t123\t40\t14\tJAM\n",
    "genomics-run, TABs": "200\t123\t1\t0.9\t40\t14\tmine\n",
    "page-qrels, box": "q 0 jam.pdf page=3 1 box=1,2,3,4\n",
    "page-qrels, bare": "q 0 jam.pdf page=3 1\n",
    "beir-qrels, commas": "query-id,corpus-id,score\nq,jam,1\n",
    "charades-sta, one line": "V1 0.5 4.5##a pot of jam.\n",
    "links, numbers": "1\t2\n2\t3\n",
    "document-lengths, numbers": "1\t90\n2\t40.5\n",
    "document-lengths, blanks": "jam 90\nlid 40\n",
    "navigation-table, whole number": "home\tjam\t1\n",
    "sessions, Wikispeedia": "ab12\t1297054935\t88\thome;jam;<;lid\tNULL\n",
    "sessions, one page": "home\nhome;jam\n",
    "sessions, names with spaces": "home page;jam and jelly;<;plum jam\nhome page;jam and jelly\n",
    "span-table-truth, semicolons": "topic;doc;start;end;grade\nq;guide.md;40;54;1\n",
    "span-table-truth, TABs": "topic\tdoc\tstart\tend\tgrade\nq\tguide.md\t40\t54\t1\n",
    "span-table-truth, open": "topic,doc,start,end\nq,guide.md,40,54\n",
    "span-table-truth, documents": "topic,doc,grade\nq,guide.md,1\n",
    "span-table-truth, quotes": "topic,doc,quote\nq,guide.md,Cut old canes.\n",
    "span-table-truth, questions": "question,doc,start,end,grade\nWhen?,guide.md,40,54,1\n",
    "span-table-run, semicolons": "topic;doc;start;end;score\nq;guide.md;40;54;0,9\n",
    "span-table-run, texts": "question,text,score\nWhen?,Cut old canes.,0.9\n",
    "span-table-run, documents": "qid,docid,rank\nq,jam,1\n",
    "span-table-run, places without a score": "topic,doc,start,end,rank\nq,guide.md,40,54,1\n",
    "fever-rows, lines": '{"id": 7, "label": "REFUTES", "claim": "Jam sings.", "evidence_annotation_id": 1, '
    '"evidence_id": 3, "evidence_wiki_url": "Jam", "evidence_sentence_id": 4}\n',
    "chunking-evaluation, other columns": "corpus_id,id,question,references\n"
    'guide,7,When?,"[{""content"": ""Cut old canes."", ""start_index"": 40, ""end_index"": 54}]"\n',
    "patch, diff": _DIFF,
    "patch, git diff": f"diff --git a/jam.py b/jam.py\n{_DIFF}",
    "brat, fragments": "T1\trelevant 0 3;8 14\tCut canes.\nR1\tsame Arg1:T1 Arg2:T1\n",
    "inex-assessments, declaration": f'<?xml version="1.0"?>\n{_ASSESSMENTS.format("q")}',
    "inex-assessments, several": f"<all>\n{_ASSESSMENTS.format('q')}{_ASSESSMENTS.format('r')}</all>\n",
    "inex-submission, declaration": '<?xml version="1.0" encoding="utf-8"?>\n<inex-submission run-id="mine" '
    'task="Thorough">\n<topic topic-id="q"><result><file>jam</file><path>/article[1]</path><rank>1</rank></result>'
    "</topic>\n</inex-submission>\n",
    "trecvid-topics, one": '<videoTopic num="1">\n<knownItem src="V1" start="0m1.5s" stop="0m4.5s"/>\n</videoTopic>\n',
}  # fmt: skip

#: Folders.
_FOLDERS: dict[str, Shape] = {
    "brat, folder": {"q/guide.ann": "T1\trelevant 0 14\tCut old canes.\n", "q/guide.txt": "Cut old canes.\n"},
    "browsecomp-run, folder": {
        "1.json": '{"query_id": "1", "retrieved_docids": ["jam", "lid"]}\n',
        "2.json": '{"query_id": "2", "retrieved_docids": []}\n',
    },
    "claude-session, folder": {"s1.jsonl": _SESSION},
    "claude-session, folders": {"jam/s1.jsonl": _SESSION, "lid/s2.jsonl": _SESSION.replace("s1", "s2")},
    "inex-assessments, folder": {"q.xml": _ASSESSMENTS.format("q"), "r.xml": _ASSESSMENTS.format("r")},
    "patch, folder": {"q.diff": _DIFF, "r.patch": _DIFF},
    "texts, folder": {"guide.md": "Cut old canes.\n"},
}

#: Lines of JSON.
_BY_LINES: dict[str, Shape] = {
    "span-truth, quotes": _lines({"topic": "q", "doc": "guide.md", "quote": "Cut old canes."}),
    "span-truth, questions": _lines({"question": _QUESTION, **_ROW}),
    "span-truth, other names": _lines({"qid": "q", "docid": "guide.md", "char_start": 40, "char_end": 54}),
    "span-truth, grades": _lines({"topic": "q", "doc": "guide.md", "grade": 2}),
    "span-truth, lines": _lines({"topic": "q", "doc": "jam.py", "start_line": 3, "end_line": 9, "grade": 1}),
    "span-truth, times": _lines({"topic": "q", "doc": "v1", "start_time": 1.5, "end_time": 4.5, "grade": 1}),
    "span-truth, boxes": _lines({"topic": "q", "doc": "jam.pdf", "page": 3, "box": [1, 2, 3, 4]}),
    "span-truth, no answer": _lines({"topic": "q", "answer": None}, {"topic": "r", **_ROW}),
    "span-truth, annotators": _lines({"topic": "q", **_ROW, "annotator": "ann", "grade": 1}),
    "span-truth, open": _lines({"topic": "q", **_ROW}),
    "span-truth, texts": _lines({"topic": "q", **_ROW, "text": "Cut old canes."}),
    "span-truth, relevant": _lines({"topic": "q", **_ROW, "relevant": True}),
    "span-run, ranks": _lines({"topic": "q", **_ROW, "rank": 1}),
    "span-run, distances": _lines({"topic": "q", **_ROW, "distance": 0.2}),
    "span-run, texts": _lines({"topic": "q", "text": "Cut old canes.", "score": 0.9}),
    "span-run, documents": _lines({"topic": "q", "doc": "guide.md", "score": 0.9}),
    "span-run, tag": _lines({"topic": "q", **_ROW, "tag": "mine"}),
    "span-run, nested": _lines({"topic": "q", "results": [{**_ROW, "score": 0.9}]}),
    "span-run, nothing": _lines({"topic": "q", "results": []}),
    "span-run, questions and texts": _lines({"question": _QUESTION, "results": [_TEXT_ROW]}),
    "span-run, questions and contexts": _lines({"question": _QUESTION, "contexts": ["Cut old canes."]}),
    "span-run, questions and retrieved": _lines({"query": _QUESTION, "retrieved": [_TEXT_ROW]}),
    "span-run, questions and chunks": _lines({"question": _QUESTION, "chunks": [_TEXT_ROW]}),
    "span-run, contexts and answer": _lines(
        {"question": _QUESTION, "answer": "In autumn.", "contexts": [{"text": "Cut old canes."}]}
    ),
    "span-run, lines": _lines({"topic": "q", "doc": "jam.py", "start_line": 3, "end_line": 9, "score": 0.9}),
    "span-run, steps": _lines({"topic": "q", "doc": "jam.py", "start_line": 3, "end_line": 9, "rank": 1, "tokens": 9}),
    "span-lengths, names": _lines({"doc": "guide.md", "length": 90}, {"doc": "faq.md", "length": 40}),
    "texts, lines": _lines({"doc": "guide.md", "text": "Cut old canes."}),
    "texts, BEIR": _lines({"_id": "guide.md", "title": "Canes", "text": "Cut old canes."}),
    "samples, ragas": _lines({"user_input": _QUESTION, "retrieved_contexts": ["Cut old canes."], "response": "Soon."}),
    "samples, ragas of old": _lines({"question": _QUESTION, "contexts": ["Cut old canes."], "ground_truth": "Soon."}),
    "samples, DeepEval": _lines({"input": _QUESTION, "actual_output": "Soon.", "retrieval_context": ["Cut canes."]}),
    "samples, promptfoo": _lines(
        {"vars": {"query": _QUESTION}, "provider": "rag", "response": {"metadata": {"context": ["Cut old canes."]}}}
    ),
    "mtrag-run, questions": _lines(
        {"task_id": "talk<::>1", "question": _QUESTION, "contexts": [{"document_id": "jam", "score": 0.9}]}
    ),
    "client-results, context": _lines({"question": _QUESTION, "context": [_DOCUMENT], "answer": "Soon."}),
    "client-results, source_documents": _lines({"query": _QUESTION, "result": "", "source_documents": [_DOCUMENT]}),
    "client-results, response": _lines({"topic": "q", "response": {"hits": {"hits": [{"_id": "7", "_source": _HIT}]}}}),
    "client-results, rows": _lines({"topic": "q", "response": [_TEXT_ROW]}),
    "doccano, labels": _lines({"id": 7, **_TASK, "labels": [[0, 14, "relevant"]]}),
    "doccano, entities": _lines(
        {"id": 7, **_TASK, "entities": [{"id": 1, "start_offset": 0, "end_offset": 14, "label": "relevant"}]}
    ),
    "doccano, data": _lines({"id": 7, "data": "Cut canes.", "label": [[0, 10, "relevant"]], "topic": "q", "doc": "d"}),
    "prodigy, accepted": _lines({**_TASK, "spans": [], "answer": "accept", "_input_hash": 7, "_task_hash": 9}),
    "prodigy, meta": _lines({"text": "Cut.", "meta": {"topic": "q", "doc": "d"}, "spans": [], "answer": "reject"}),
    "w3c, lines": _lines(_ANNOTATION),
    "patch, topic": _lines({"topic": "q", "patch": _DIFF}),
    "patch, SWE-bench": _lines(
        {"repo": "jam/pot", "instance_id": "jam-7", "patch": _DIFF, "problem_statement": "It leaks.", "hints_text": ""}
    ),
    "contextbench, patch": _lines(
        {"instance_id": "t1", "patch": _DIFF, "gold_context": [{"file": "jam.py", "start_line": 3, "end_line": 4}]}
    ),
    "contextbench-run, steps": _lines(
        {"instance_id": "t1", "traj_data": {"pred_steps": [{"spans": {"jam.py": [{"start": 3, "end": 4}]}}]}}
    ),
    "locagent, output": _lines(
        {"instance_id": "jam-7", "found_files": ["jam/pot.py"], "found_modules": [], "found_entities": [],
         "meta_data": {"gt_files": ["jam/pot.py"]}}
    ),
    "locagent, Loc-Bench": _lines({"instance_id": "jam-7", "edit_functions": ["jam/pot.py:Pot.close"], "patch": _DIFF}),
    "locagent, changes": _lines(
        {"instance_id": "jam-7", "file_changes": [{"file": "jam/pot.py", "changes": {
            "edited_modules": ["jam/pot.py:Pot"], "edited_entities": ["jam/pot.py:Pot.close"]}}]}
    ),
    "locagent-run, files alone": _lines({"instance_id": "jam-7", "found_files": ["jam/pot.py"]}),
    "fever, no evidence": _lines(
        {"id": 7, "label": "NOT ENOUGH INFO", "claim": "Jam sings.", "evidence": [[[1, None, None, None]]]}
    ),
    "fever-run, labels": _lines({"id": 7, "predicted_label": "SUPPORTS", "predicted_evidence": [["Jam", 4]]}),
    "scifact, no evidence": _lines({"id": 7, "claim": "Jam sets.", "evidence": {}, "cited_doc_ids": [3]}),
    "scifact-run, no evidence": _lines({"id": 7, "evidence": {}}),
    "kilt, paragraphs": _lines(
        {"id": "7", "input": "What sets?", "output": [{"answer": "Jam", "provenance": [
            {"wikipedia_id": "41", "start_paragraph_id": 2, "end_paragraph_id": 2}]}]}
    ),
    "hotpotqa, lines": _lines(
        {"id": "q7", "question": "Which?", "supporting_facts": {"title": ["Jam"], "sent_id": [0]}, "type": "bridge"}
    ),
    "longmemeval, log": _lines(
        {"question_id": "q7", "question_type": "multi-session", "question": "What set?",
         "answer_session_ids": ["answer_1"], "haystack_session_ids": ["answer_1"],
         "haystack_sessions": [[{"role": "user", "content": "Jam.", "has_answer": True}]],
         "retrieval_results": {"query": "What set?", "ranked_items": [{"corpus_id": "answer_1"}]}}
    ),
    "nuggets, assigned": _lines(
        {"qid": "q", "query": "When?", "nuggets": [{"text": "Soon", "importance": "vital", "assignment": "support"}]}
    ),
    "qvhighlights, saliency": _lines(
        {"qid": 7, "query": "jam", "vid": "v1", "duration": 60, "relevant_windows": [[2, 8]],
         "relevant_clip_ids": [1, 2, 3], "saliency_scores": [[4, 3, 2], [4, 4, 1], [2, 2, 2]]}
    ),
    "qvhighlights-run, saliency": _lines(
        {"qid": 7, "vid": "v1", "pred_relevant_windows": [[2, 8, 0.9]], "pred_saliency_scores": [0.1, 0.9]}
    ),
    "trec-rag-answers, old names": _lines(
        {"run_id": "mine", "topic_id": "q", "topic": "jam", "references": ["d#1"], "response_length": 2,
         "answer": [{"text": "Soon.", "citations": [0]}]}
    ),
    "ragtime-reports, lines": _lines(
        {"metadata": {"run_id": "mine", "topic_id": "q"}, "responses": [{"text": "Soon.", "citations": ["d1"]}]}
    ),
    "traces, LangSmith": _lines(_LANGSMITH),
    "traces, Langfuse": _lines(_OBSERVATION),
    "traces, Phoenix": _lines(_RETRIEVER),
    "traces, MLflow": _lines(_MLFLOW),
    "traces, GenAI of the SDK": _lines(_GENAI),
    "traces, GenAI as OTLP": _lines({"resourceSpans": [{"scopeSpans": [{"spans": [
        {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "attributes": [
            {"key": name, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}
            for name, value in _GENAI["attributes"].items()]}]}]}]}),
    "agent-traces, GenAI": _lines({"resourceSpans": [{"scopeSpans": [{"spans": [
        {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "attributes": [
            {"key": f"gen_ai.{name}", "value": {"stringValue": value}} for name, value in (
                ("operation.name", "execute_tool"), ("tool.name", "Grep"), ("tool.call.arguments", "{}"),
                ("tool.call.result", "src/a.py:12:x"))]}]}]}]}),
    "contextbench, blocks": _lines(
        {"instance_id": "t1", "gold_context": "context0:\nfile: jam.py\nstart_line: 3\nend_line: 3\nx = 1\n"}
    ),
    "client-results, Haystack documents": _lines({"query": _QUESTION, "documents": [
        {"id": "7", "content": "Cut old canes.", "blob": None, "score": 0.9, "meta": {"file_path": "guide.md"}}]}),
    "client-results, LangChain.js": _lines({"input": _QUESTION, "context": [
        {"pageContent": "Cut canes.", "metadata": {"source": "guide.md", "loc": {"lines": {"from": 1, "to": 1}}}}]}),
    "agent-traces, TOOL beside RETRIEVER": _lines(
        {"resourceSpans": [{"scopeSpans": [{"spans": [
            {"traceId": "t1", "spanId": kind, "startTimeUnixNano": "1", "attributes": [
                {"key": "openinference.span.kind", "value": {"stringValue": kind}},
                {"key": "input.value", "value": {"stringValue": _QUESTION}},
                {"key": "retrieval.documents.0.document.content", "value": {"stringValue": "Cut old canes."}}]}
            for kind in ("TOOL", "RETRIEVER")]}]}]}
    ),
    "reading-log, bare": _lines({"distance": 40, "end": "gave_up"}),
}  # fmt: skip

#: One value of JSON.
_WHOLE: dict[str, Shape] = {
    "result-list, texts": json.dumps([{"question": _QUESTION, "results": [_TEXT_ROW]}], indent=1),
    "result-list, contexts": json.dumps([{"question": _QUESTION, "contexts": ["Cut old canes."]}], indent=1),
    "result-list, retrieved": json.dumps([{"query": _QUESTION, "retrieved": [_TEXT_ROW]}], indent=1),
    "result-list, spans": json.dumps([{"topic": "q", **_ROW, "score": 0.9}], indent=1),
    "result-list, open": json.dumps([{"topic": "q", **_ROW}], indent=1),
    "result-list, documents": json.dumps([{"topic": "q", "results": ["jam", "lid"]}], indent=1),
    "result-list, nothing": json.dumps([{"topic": "q", "results": []}], indent=1),
    "golden list, answers": json.dumps([{"question": "When?", "answer": "Soon.", "contexts": ["Cut."]}], indent=1),
    "golden list, ground truth": json.dumps(
        [{"question": _QUESTION, "ground_truth": "Soon.", "source": "guide.md", "quote": "Cut canes."}], indent=1
    ),
    "client-results, by question": json.dumps({_QUESTION: [_TEXT_ROW]}, indent=1),
    "client-results, texts by question": json.dumps({_QUESTION: ["Cut old canes.", "Pick dry."]}, indent=1),
    "client-results, documents by topic": json.dumps({"q": [_DOCUMENT]}, indent=1),
    "client-results, LlamaIndex": json.dumps(
        {"q": {"source_nodes": [{"node": {"id_": "7", "text": "Cut canes.", "start_char_idx": 40, "end_char_idx": 50,
                                          "metadata": {"file_name": "guide.md"}, "relationships": {}},
                                 "score": 0.9}]}}, indent=1
    ),
    "client-results, Haystack": json.dumps(
        {"q": {"retriever": {"documents": [{"id": "7", "content": "Cut old canes.", "blob": None, "score": 0.9,
                                            "meta": {"file_path": "guide.md", "split_idx_start": 40}}]}}}, indent=1
    ),
    "topic-dictionary, one line": '{"q": {"jam": 1, "lid": 0}}\n',
    "topic-dictionary-run, one line": '{"q": {"jam": 0.9, "lid": 0.1}}\n',
    "topic-dictionary, hits as a name": '{"q": {"hits": 1}}\n',
    "samples, ragas list": json.dumps([{"user_input": _QUESTION, "retrieved_contexts": ["Cut old canes."]}], indent=1),
    "samples, DeepEval list": json.dumps([{"input": _QUESTION, "retrievalContext": ["Cut canes."]}], indent=1),
    "samples, promptfoo file": json.dumps(
        {"evalId": "e", "results": {"results": [{"vars": {"query": _QUESTION, "context": "Cut old canes."},
                                                 "provider": {"id": "rag"}, "response": {"output": ""}}]}}, indent=1
    ),
    "traces, LangSmith list": json.dumps([_LANGSMITH], indent=1),
    "traces, Langfuse trace": json.dumps({"id": "t1", "input": _QUESTION, "observations": [_OBSERVATION]}, indent=1),
    "traces, Phoenix export": json.dumps({"data": [_RETRIEVER]}, indent=1),
    "traces, MLflow list": json.dumps([_MLFLOW], indent=1),
    "traces, Langfuse list": json.dumps([_OBSERVATION], indent=1),
    "traces, Langfuse spans": json.dumps([{**_OBSERVATION, "type": "SPAN", "name": "retrieve"}], indent=1),
    "traces, GenAI printed": 2 * (json.dumps(_GENAI, indent=4) + "\n"),
    "label-studio, JSON-MIN": json.dumps(
        [{"id": 7, **_TASK, "annotation_id": 9, "annotator": 1,
          "label": [{"start": 0, "end": 14, "text": "Cut old canes.", "labels": ["relevant"]}]}], indent=1
    ),
    "w3c, page": json.dumps({"type": "AnnotationPage", "items": [_ANNOTATION]}, indent=1),
    "w3c, collection": json.dumps(
        {"type": "AnnotationCollection", "first": {"type": "AnnotationPage", "items": [_ANNOTATION]}}, indent=1
    ),
    "w3c, Hypothesis": json.dumps(
        {"total": 1, "rows": [{"id": "a", "uri": "guide.md", "tags": ["topic:q", "relevant"], "text": "",
                               "user": "acct:ann@x", "target": [{**_SELECTED, "selector": [_SELECTED["selector"]]}]}]},
        indent=1,
    ),
    "squad, 1.1": json.dumps(
        {"data": [{"title": "Canes", "paragraphs": [{"context": "Cut old canes.", "qas": [
            {"id": "q", "question": _QUESTION, "answers": [{"text": "old", "answer_start": 4}]}]}]}], "version": "1.1"}
    ),
    "hotpotqa, 2WikiMultihopQA": json.dumps(
        [{"_id": "q7", "type": "comparison", "question": "Which?", "context": [["Jam", ["It sets."]]],
          "supporting_facts": [["Jam", 0]], "evidences": [["Jam", "is", "set"]], "answer": "Jam"}]
    ),
    "locomo, questions": json.dumps(
        [{"sample_id": "talk", "question": "When?", "answer": "May", "evidence": ["D1:3"], "category": 1}], indent=1
    ),
    "locomo-run, with evidence": json.dumps(
        [{"sample_id": "talk", "question": "When?", "evidence": ["D1:3"], "retrieved_ids": ["D1:3"]}], indent=1
    ),
    "wikirace, list of articles": json.dumps(
        {"article_list": ["Jam", "Lid"], "runs": [
            {"result": "win", "start_article": "Jam", "destination_article": "Lid",
             "steps": [{"type": "start", "article": "Jam"}, {"type": "win", "article": "Lid"}]}]}
    ),
    "wikirace, articles before games": json.dumps(
        {"article_list": ["Jam", "Lid"], "num_trials": 1, "runs": [
            {"result": "lose", "start_article": "Jam", "destination_article": "Lid",
             "steps": [{"type": "start", "article": "Jam"}, {"type": "lose", "article": -1}]}]}, indent=2
    ),
    "tvr-run, two tasks": json.dumps(
        {"video2idx": {"jam": 0}, "VCMR": [{"desc_id": 7, "predictions": [[0, 0.0, 4.5, 0.9]]}],
         "VR": [{"desc_id": 7, "predictions": [[0, 0, 0, 0.9]]}]}
    ),
}  # fmt: skip

#: Responses of stores, search engines and models that cite, each for one topic.
_STORES: dict[str, Shape] = {
    "search-hits, Chroma": _store(
        {"ids": [["7"]], "documents": [["Cut canes."]], "metadatas": [[{"source": "guide.md"}]], "distances": [[0.1]]}
    ),
    "search-hits, Qdrant": _store({"result": {"points": [{"id": 7, "score": 0.9, "payload": _HIT}]}, "status": "ok"}),
    "search-hits, Qdrant points": _store([{"id": 7, "version": 1, "score": 0.9, "payload": _HIT}]),
    "search-hits, Pinecone": _store({"matches": [{"id": "7", "score": 0.9, "metadata": _HIT}], "namespace": ""}),
    "search-hits, Weaviate": _store({"data": {"Get": {"Chunk": [{**_HIT, "_additional": {"distance": 0.1}}]}}}),
    "search-hits, Weaviate objects": _store({"objects": [{"properties": _HIT, "metadata": {"score": 0.9}}]}),
    "search-hits, Milvus": _store([[{"id": 7, "distance": 0.9, "entity": _HIT}]]),
    "search-hits, Vespa": _store(
        {"root": {"id": "toplevel", "relevance": 1.0, "children": [{"id": "7", "relevance": 0.9, "fields": _HIT}]}}
    ),
    "search-hits, Solr": _store(
        {"responseHeader": {"status": 0}, "response": {"numFound": 1, "docs": [{"id": "7", **_HIT}]}}
    ),
    "search-hits, Azure": _store({"@odata.context": "x", "value": [{"@search.score": 0.9, "id": "7", **_HIT}]}),
    "search-hits, Typesense": _store({"found": 1, "hits": [{"document": {"id": "7", **_HIT}, "text_match": 9}]}),
    "search-hits, Meilisearch": _store({"hits": [{"id": 7, **_HIT, "_rankingScore": 0.9}], "processingTimeMs": 1}),
    "search-hits, Bedrock": _store(
        {"retrievalResults": [{"content": {"text": "Cut old canes.", "type": "TEXT"}, "score": 0.9,
                               "location": {"type": "S3", "s3Location": {"uri": "s3://jam/guide.md"}}}]}
    ),
    "search-hits, OpenAI": _store(
        {"object": "vector_store.search_results.page", "data": [
            {"file_id": "f7", "filename": "guide.md", "score": 0.9, "content": [{"type": "text", "text": "Cut."}]}]}
    ),
    "search-hits, Anthropic": _store(
        {"id": "m1", "type": "message", "role": "assistant", "content": [
            {"type": "text", "text": "Soon.", "citations": [
                {"type": "char_location", "cited_text": "Cut old canes.", "document_index": 0,
                 "document_title": "guide.md", "start_char_index": 40, "end_char_index": 54}]}]}
    ),
    "search-hits, Gemini": _store(
        {"candidates": [{"content": {"parts": [{"text": "Soon."}]}, "groundingMetadata": {"groundingChunks": [
            {"retrievedContext": {"uri": "guide.md", "title": "guide.md", "text": "Cut old canes."}}],
            "groundingSupports": [{"groundingChunkIndices": [0]}]}}]}
    ),
}  # fmt: skip

#: What is in no format, or almost in one.
_PLAIN: dict[str, Shape] = {
    "prose": "Cut old canes in autumn, and tie new ones.\n",
    "HTML": "<html><body>Cut old canes.</body></html>\n",
    "numbers": "[1, 2, 3]\n",
    "empty list": "[]\n",
    "empty object": "{}\n",
    "empty file": "",
    "comment alone": "# nothing\n",
    "pickled start": b"\x80\x04\x95\x10\x00\x00\x00",
    "zip start": b"PK\x03\x04 jam",
    "three columns": "q jam 1\n",
    "five columns": "q 0 jam 1 2\n",
    "commas without a header": "q,guide.md,40,54\n",
}


def _parquet_files() -> dict[str, Shape]:
    """Return tables in Parquet: the first bytes say so, and nothing about the columns."""
    return {
        "span-table-truth, Parquet": _parquet({"topic": "q", **_ROW, "grade": 1}),
        "span-table-run, Parquet": _parquet({"topic": "q", **_ROW, "score": 0.9}),
        "fever-rows, Parquet": _parquet(
            {"id": 7, "label": "REFUTES", "claim": "Jam sings.", "evidence_annotation_id": 1, "evidence_id": 3,
             "evidence_wiki_url": "Jam", "evidence_sentence_id": 4}
        ),
        "lengths, Parquet": _parquet({"doc": "guide.md", "length": 90}),
    }  # fmt: skip


def sample_on(page: str) -> str:
    """Return the sample on the page that ``berrypick show format NAME`` prints, with its TABs; empty if it has none."""
    rest = page.partition("Sample::\n")[2]
    lines = []
    for line in rest.splitlines():
        if line.strip() and not line.startswith((" ", "\t")):
            break
        lines.append(line)
    text = textwrap.dedent("\n".join(lines)).strip("\n")
    return f"{text}\n" if text else ""


def json_forms(text: str) -> dict[str, str]:
    """Return a JSON sample in other forms: lines as a list, a list as lines, a value indented and on one line."""
    rows = [_value(line) for line in text.splitlines()]
    whole = _value(text)
    if all(isinstance(row, dict) for row in rows):
        return {"as a list": json.dumps(rows)}
    forms = {} if whole is None else {"indented": json.dumps(whole, indent=2), "on one line": json.dumps(whole)}
    return forms | ({"as lines": _lines(*whole)} if isinstance(whole, list) else {})


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
