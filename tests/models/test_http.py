"""Clients over HTTP against a real endpoint: what is sent, what comes back, and every way to fail."""

from __future__ import annotations

import json
import logging
import threading
import traceback
from typing import Any

import numpy as np
import pytest

from zeromem import BudgetSpent, ChatFailed, ChatRefused, InvalidInput
from zeromem.errors import ZeromemError
from zeromem.models.budget import Budget
from zeromem.models.http import HttpChat, HttpEmbedder, HttpReranker
from zeromem.replies import Prices, Reply, Spent, TokenChance, ToolCall

from .conftest import Fake, chunk, completion

pytest.importorskip("openai", reason="the extra llm is not installed")
KEY = "sk-very-secret-4711"
ASK = [{"role": "user", "content": "Where?"}]


def chat(fake: Fake, **options: Any) -> HttpChat:
    return HttpChat(fake.url, "tiny", KEY, **{"timeout": 5.0, "retries": 0, **options})


def test_a_reply_holds_text_usage_and_cost(fake: Fake) -> None:
    """Tokens, cached ones too, are those that the endpoint tells; the cost is by the prices that were given."""
    fake.answer = lambda path, body: (200, completion("Here."))
    reply = chat(fake, prices=Prices(prompt=1.0, completion=10.0, cached=0.5)).chat(ASK, most=9)
    assert reply == Reply(
        "Here.", "tiny-1", "stop",
        Spent(1, 100, 20, 40, reply.spent.seconds, (60 * 1.0 + 40 * 0.5 + 20 * 10.0) / 1e6),
    )  # fmt: skip
    (path, body, headers) = fake.asked[0]
    assert (path, body["max_tokens"], body["messages"]) == ("/v1/chat/completions", 9, ASK)
    assert headers["authorization"] == f"Bearer {KEY}"


def test_a_schema_tools_and_logprobs_are_asked_for_and_read(fake: Fake) -> None:
    """Each in the form that OpenAI has."""
    calls = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}]
    content = [
        {
            "token": "He",
            "logprob": -0.5,
            "bytes": None,
            "top_logprobs": [{"token": "He", "logprob": -0.5, "bytes": None}],
        }
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    fake.answer = lambda path, body: (
        200,
        completion("", message=message, logprobs={"content": content}, finish_reason="tool_calls"),
    )
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    reply = chat(fake).chat(ASK, schema={"type": "object"}, tools=[tool], logprobs=1)
    assert (reply.text, reply.finish) == ("", "tool_calls")
    assert reply.tool_calls == (ToolCall("c1", "look", '{"a": 1}'),)
    assert reply.logprobs == (TokenChance("He", -0.5, (("He", -0.5),)),)
    body = fake.asked[0][1]
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert (body["tools"], body["top_logprobs"]) == ([tool], 1)


def test_a_stream_is_handed_on_and_gathered(fake: Fake) -> None:
    """Pieces go to the caller as they come; the reply is whole, with what it cost."""
    usage = {**chunk(), "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}}
    fake.answer = lambda path, body: (200, [chunk("He"), chunk("re"), chunk(finish_reason="length"), usage, "[DONE]"])
    pieces: list[str] = []
    reply = chat(fake).chat(ASK, stream=pieces.append)
    assert (pieces, reply.text, reply.finish) == (["He", "re"], "Here", "length")
    assert (reply.spent.prompt, reply.spent.completion) == (7, 2)


@pytest.mark.parametrize("unknown", ["max_tokens", "temperature", "response_format"])
def test_an_endpoint_that_lacks_a_parameter_is_asked_without(fake: Fake, unknown: str) -> None:
    """What it calls unsupported is left out, or named otherwise, from then on: no call is lost to it twice."""

    def answer(path: str, body: dict[str, Any]) -> Any:
        if unknown in body and body.get("response_format") != {"type": "json_object"}:
            return 400, {"error": {"message": f"Unsupported parameter: {unknown}"}}
        return 200, completion("ok")

    fake.answer = answer
    client = chat(fake)
    assert client.chat(ASK, schema={"type": "object"}).text == client.chat(ASK, schema={"type": "object"}).text == "ok"
    assert len(fake.asked) == 3
    assert unknown != "max_tokens" or fake.asked[-1][1]["max_completion_tokens"] == 1024


FAILURES: list[tuple[int, Any, type[ZeromemError], str]] = [
    (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}, ChatFailed, "ZEROMEM_CHAT_KEY"),
    (403, {}, ChatFailed, "ZEROMEM_CHAT_KEY"),
    (404, {}, ChatFailed, "ZEROMEM_CHAT_MODEL"),
    (429, {}, ChatFailed, "quota"),
    (500, {}, ChatFailed, "try again later"),
    (400, {"error": {"message": f"the prompt is too long for {KEY}"}}, ChatRefused, "too long"),
    (413, {}, ChatRefused, "refuses"),
    (200, None, ChatFailed, "hung up"),
    (200, b"<html>hello</html>", ChatFailed, "cannot be read"),
    (200, {"choices": []}, ChatFailed, "cannot be read"),
    (200, {"choices": None}, ChatFailed, "cannot be read"),
    (200, [], ChatFailed, "cannot be read"),
    (200, b"", ChatFailed, "cannot be read"),
]


@pytest.mark.parametrize(("status", "value", "kind", "cure"), FAILURES)
def test_every_failure_is_typed_names_the_cure_and_hides_the_key(
    fake: Fake, caplog: pytest.LogCaptureFixture, status: int, value: Any, kind: type[ZeromemError], cure: str
) -> None:
    """The key stands in no message, no traceback, no error that hangs on to ours, no log and no repr."""
    fake.answer = lambda path, body: (status, value)
    client = chat(fake)
    with caplog.at_level(logging.DEBUG), pytest.raises(kind, match=cure) as caught:
        client.chat(ASK)
    assert type(caught.value) is kind
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    told = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(client) + repr(vars(caught.value))
    assert KEY not in told


def test_a_stream_that_breaks_is_an_error(fake: Fake) -> None:
    """Half an answer is none."""
    fake.answer = lambda path, body: (200, [chunk("He")])
    with pytest.raises(ChatFailed, match="hung up"):
        chat(fake).chat(ASK, stream=lambda _: None)


def test_a_dead_endpoint_and_a_slow_one_are_told_apart() -> None:
    """Nobody listens there; the message names the address and not what else the URL holds."""
    with pytest.raises(ChatFailed, match=r"127\.0\.0\.1:9/v1 cannot be reached") as caught:
        HttpChat(f"http://me:{KEY}@127.0.0.1:9/v1", "tiny", retries=0).chat(ASK)
    assert KEY not in str(caught.value)


def test_a_slow_endpoint_is_given_up(fake: Fake) -> None:
    """After the time-out, which the message names."""
    fake.delay, fake.answer = 1.0, lambda path, body: (200, completion("late"))
    with pytest.raises(ChatFailed, match=r"within 0\.1 s.*ZEROMEM_CHAT_TIMEOUT"):
        chat(fake, timeout=0.1).chat(ASK)


def test_the_client_tries_again(fake: Fake) -> None:
    """A trouble that passes is not seen."""
    fake.answer = lambda path, body: (200, completion("ok")) if len(fake.asked) > 1 else (503, {})
    assert chat(fake, retries=1).chat(ASK).text == "ok"


def test_keys_of_the_environment_are_not_sent(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key goes nowhere but where it was meant for."""
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "not-for-you")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    fake.answer = lambda path, body: (200, completion("ok"))
    HttpChat(fake.url, "tiny", retries=0).chat(ASK)
    assert "not-for-you" not in json.dumps(fake.asked)


@pytest.mark.parametrize("url", ["", "localhost:1", "ftp://x/v1", "http://"])
def test_a_wrong_url_is_named(url: str) -> None:
    """Before anything is sent."""
    with pytest.raises(InvalidInput, match="ZEROMEM_CHAT_URL"):
        HttpChat(url, "tiny")
    with pytest.raises(InvalidInput, match="ZEROMEM_CHAT_MODEL"):
        HttpChat("http://localhost/v1", " ")


def test_a_budget_of_calls_is_shared(fake: Fake) -> None:
    """Two clients, one budget; the third call is not made."""
    fake.answer = lambda path, body: (200, completion("ok"))
    first = chat(fake, budget=Budget(calls=2))
    first.chat(ASK)
    first.named("cheaper").chat(ASK)
    with pytest.raises(BudgetSpent, match="ZEROMEM_CHAT_CALLS"):
        first.chat(ASK)
    assert [body["model"] for _, body, _ in fake.asked] == ["tiny", "cheaper"]


def test_a_budget_of_tokens_is_never_exceeded_by_threads() -> None:
    """A call is booked with the most that it may take before it is made."""
    budget, made, refused = Budget(tokens=1000), [], []
    together = threading.Barrier(8)

    def ask() -> None:
        together.wait()
        try:
            with budget.call(100, 150) as settled:
                made.append(budget.spent.tokens)
                settled.spent = Spent(1, 50, 150)
        except BudgetSpent as error:
            refused.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(refused)) == (5, 3)
    assert budget.spent == Spent(5, 250, 750)


def test_a_failed_call_counts_and_takes_no_tokens(fake: Fake) -> None:
    """So that a dead endpoint is not asked for ever either."""
    client = chat(fake, budget=Budget(calls=1, tokens=10_000))
    with pytest.raises(ChatFailed):
        client.chat(ASK)
    assert (client.budget.spent.calls, client.budget.spent.tokens) == (1, 0)
    with pytest.raises(BudgetSpent):
        client.chat(ASK)


def test_embeddings_are_unit_vectors_in_order(fake: Fake) -> None:
    """Whatever order the endpoint gives them in."""
    data = [
        {"index": 1, "embedding": [0.0, 2.0], "object": "embedding"},
        {"index": 0, "embedding": [3.0, 4.0], "object": "embedding"},
    ]
    fake.answer = lambda path, body: (200, {"object": "list", "model": "e", "data": data[-len(body["input"]) :],
                                            "usage": {"prompt_tokens": 5, "total_tokens": 5}})  # fmt: skip
    client = HttpEmbedder(fake.url, "e", dimension=2, prefixes=("query: ", "passage: "), retries=0)
    assert np.allclose(client.passages(["a", "b\ud800"]), [[0.6, 0.8], [0.0, 1.0]])
    assert np.allclose(client.query("c"), [0.6, 0.8])
    assert [body["input"] for _, body, _ in fake.asked] == [["passage: a", "passage: b?"], ["query: c"]]
    with pytest.raises(ChatFailed, match="shape"):
        HttpEmbedder(fake.url, "e", dimension=3, retries=0).query("c")


def test_a_reranker_gives_scores_in_the_order_of_the_texts(fake: Fake) -> None:
    """As vLLM, llama.cpp, Jina and Cohere answer."""
    found = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]
    fake.answer = lambda path, body: (200, {"results": found})
    client = HttpReranker(fake.url, "r", retries=0)
    assert client.rerank("q", ["a", "b"]) == [0.1, 0.9]
    assert client.rerank("q", []) == []
    assert fake.asked[0][:2] == ("/v1/rerank", {"model": "r", "query": "q", "documents": ["a", "b"], "top_n": 2})
    fake.answer = lambda path, body: (200, {"results": found[:1]})
    with pytest.raises(ChatFailed, match="cannot be read"):
        client.rerank("q", ["a", "b"])
