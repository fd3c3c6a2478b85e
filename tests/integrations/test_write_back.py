"""Scores back to traces: by the real clients, MLflow in a folder, the others against a recorder on this machine."""

import json
import threading
import uuid
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from client_responses import EXPECTED, MEASURES, PLACES, TEXTS, TRUTH
from platform_traces import CHAIN, LANGSMITH, QUESTION, otlp

import berrypick as bp

WHY = "{} is not installed: pip install --group rag --group integrations"


def module(name: str, package: str = "") -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=WHY.format(package or name))


@pytest.fixture
def recorder():
    """A service that takes everything, and keeps it."""
    kept: list[tuple[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.headers.get("Content-Encoding") == "gzip":
                import gzip

                raw = gzip.decompress(raw)
            try:
                body = json.loads(raw) if raw else None
            except ValueError:
                body = raw
            kept.append((f"{self.command} {self.path}", body))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(_answer(self.path, body)).encode())

        do_GET = do_POST = do_PUT = do_PATCH = answer

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", kept
    server.shutdown()
    server.server_close()
    thread.join()


def _answer(path: str, body: Any) -> Any:
    if "span_annotations" in path:
        return {"data": [{"id": "1"} for _ in body["data"]]}
    if "ingestion" in path:
        return {"successes": [{"id": one["id"], "status": 201} for one in body["batch"]], "errors": []}
    return {"version": "0.10", "id": str(uuid.uuid4())}


RUN, TRACE = str(uuid.UUID(int=7)), str(uuid.UUID(int=8))


def langsmith_traces() -> list[dict[str, Any]]:
    return [{**CHAIN, "trace_id": TRACE, "id": TRACE},
            {**LANGSMITH, "trace_id": TRACE, "parent_run_id": TRACE, "id": RUN}]  # fmt: skip


@pytest.fixture
def results():
    traces = bp.read_traces(langsmith_traces())
    other = {"topic": "other", "doc": "faq.md", "start": 0, "end": 5, "question": "Who?"}
    places = [dict(zip(("doc", "start", "end"), place, strict=True)) for place in TRUTH["q"]]
    truth = [*({"topic": "q", **place, "question": QUESTION} for place in places), other]
    return bp.evaluate(truth, traces, MEASURES, documents=TEXTS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_langsmith(results, recorder):
    langsmith = module("langsmith")
    address, kept = recorder
    client = langsmith.Client(api_url=address, api_key="none", auto_batch_tracing=False)
    done = results.write_back(client)
    assert str(done) == "4 scores of 1 trace written; 1 topic without a trace"
    sent = [body for path, body in kept if path.startswith("POST") and "feedback" in path]
    assert {one["key"]: one["score"] for one in sent} == pytest.approx(EXPECTED, abs=1e-4)  # the client rounds them
    assert {one["key"]: one["value"] for one in sent} == pytest.approx(EXPECTED)
    assert {(one["run_id"], one["trace_id"]) for one in sent} == {(RUN, TRACE)}
    assert all("charR" in one["comment"] for one in sent if one["key"] == "charR@5")
    again = results.write_back(client)
    assert again == done
    more = [body for path, body in kept if path.startswith("POST") and "feedback" in path]
    assert {one["id"] for one in more} == {one["id"] for one in sent}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_langfuse(results, recorder):
    langfuse = module("langfuse")
    address, kept = recorder
    client = langfuse.Langfuse(public_key="none", secret_key="none", base_url=address, tracing_enabled=True, flush_at=1)
    assert results.write_back(client).scores == 4
    client.flush()
    sent = [one for path, body in kept if path.endswith("/scores") for one in body]
    events = [event for path, body in kept if "ingestion" in path for event in body["batch"]]  # earlier versions
    sent += [event["body"] for event in events if event["type"] == "score-create"]
    assert {one["name"]: one["value"] for one in sent} == pytest.approx(EXPECTED)
    assert {one["observationId"] for one in sent} == {RUN}
    client.shutdown()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_phoenix(results, recorder):
    phoenix = module("phoenix.client", "arize-phoenix-client")
    address, kept = recorder
    assert results.write_back(phoenix.Client(base_url=address, api_key="none")).scores == 4
    sent = [one for path, body in kept if "span_annotations" in path for one in body["data"]]
    assert {one["name"]: one["result"]["score"] for one in sent} == pytest.approx(EXPECTED)
    assert {(one["span_id"], one["annotator_kind"], one["identifier"]) for one in sent} == {(RUN, "CODE", "berrypick")}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_mlflow_in_a_folder(tmp_path, monkeypatch):
    """Traced, evaluated, written back and read again, by MLflow itself."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = module("mlflow", "mlflow-skinny")
    entities = module("mlflow.entities", "mlflow-skinny")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(tmp_path.as_uri())
    try:
        experiment = mlflow.set_experiment("rag")
        documents = [entities.Document(page_content=TEXTS[name][start:end], metadata={"doc_uri": name}, id=str(start))
                     for name, start, end in PLACES]  # fmt: skip
        retrieve = mlflow.trace(lambda query: documents, name="retrieve", span_type=entities.SpanType.RETRIEVER)
        mlflow.trace(lambda question: retrieve("canes cut when") and "In autumn.", name="answer")(QUESTION)
        mlflow.flush_trace_async_logging()
        traces = mlflow.MlflowClient().search_traces(locations=[experiment.experiment_id])
        for given in (traces, [json.loads(one.to_json()) for one in traces]):
            found = bp.evaluate({QUESTION: TRUTH["q"]}, bp.read_traces(given), MEASURES, documents=TEXTS)
            assert found.mean()["retrieve"] == pytest.approx(EXPECTED)
        assert found.write_back(mlflow).scores == 4
        written = mlflow.get_trace(traces[0].info.trace_id).info.assessments
        assert {one.name: one.feedback.value for one in written} == pytest.approx(EXPECTED)
        assert {one.source.source_id for one in written} == {"berrypick"}
    finally:
        mlflow.set_tracking_uri(before)


def test_what_is_not_written_is_said(results):
    class Refuses:
        def create_score(self, **_: Any) -> None:
            raise RuntimeError("no")

    with pytest.raises(bp.UsageError, match=r"Refuses refused the score charR@5 .*RuntimeError: no.*0 scores of 4"):
        results.write_back(Refuses())
    with pytest.raises(bp.UsageError, match="object is not a client for scores"):
        results.write_back(object())
    with pytest.raises(bp.UsageError, match="the results do not come from traces"):
        bp.evaluate(TRUTH, {"q": [PLACES[0]]}, "charR").write_back(type("C", (), {"create_score": print})())


def test_retrievers_that_share_a_trace_have_scores_of_their_own():
    kept: list[dict[str, Any]] = []

    class Client:
        def create_score(self, **score: Any) -> None:
            kept.append(score)

    again = {**LANGSMITH, "id": "c", "name": "rerank"}
    traces = bp.read_traces([CHAIN, LANGSMITH, again])
    bp.evaluate({QUESTION: TRUTH["q"]}, traces, "charR", documents=TEXTS).write_back(Client())
    assert [(one["name"], one["observation_id"]) for one in kept] == [
        ("charR (retrieve)", "b"),
        ("charR (rerank)", "c"),
    ]


def test_values_of_clients_are_traces():
    """Objects with fields, as the clients return them."""
    from types import SimpleNamespace

    [run] = bp.read_traces([SimpleNamespace(**CHAIN), SimpleNamespace(**LANGSMITH)]).values()
    assert run.topics == (QUESTION,)
    with pytest.raises(bp.InputError, match="no retrieved documents"):
        bp.read_traces([otlp([])])
