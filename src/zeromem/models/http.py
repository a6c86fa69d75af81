"""Models behind any OpenAI-compatible endpoint (OpenAI, Ollama, vLLM, llama.cpp, DeepSeek, Qwen, …): chat, embeddings, rerank.

In: a base URL, a model's name, a key. Out: the ports `Chat`, `Embedder` and `Reranker`. The `openai` client does the talking, the
time-outs and the retries with back-off; it is imported at the first call. Every failure is a ChatFailed or ChatRefused that names the
cure; neither holds the key, and no error of the client, whose request holds it, hangs on to ours. The client's own variables
(`OPENAI_API_KEY` and its like) are not read: a key goes nowhere but where it was meant for.
"""

from __future__ import annotations

import json
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from zeromem.checks import http_address
from zeromem.errors import ChatFailed, ChatRefused, InvalidInput, ZeromemError
from zeromem.forks import watch
from zeromem.models.budget import Budget, Settled
from zeromem.ports import Vectors
from zeromem.replies import Messages, Prices, Reply, Schema, Spent, TokenChance, ToolCall

_SAID = 300  # characters of an endpoint's own words in an error
_TRIES = 4  # of a request in other words, where the endpoint does not know one of its parameters
_REFUSED = (400, 413, 422)
_CURES = {
    401: "it refuses the key; check ZEROMEM_CHAT_KEY",
    403: "it does not let this key use the model; check ZEROMEM_CHAT_KEY and ZEROMEM_CHAT_MODEL",
    404: "it knows no such model or address; check ZEROMEM_CHAT_URL (it mostly ends in /v1) and ZEROMEM_CHAT_MODEL",
    429: "it allows no more calls now; try again later, or check the account's quota",
}


class Endpoint:
    """What the clients share. `budget` may be shared by several; `prices` make the cost of a call."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        timeout: float = 60.0,
        retries: int = 2,
        budget: Budget | None = None,
        prices: Prices | None = None,
    ) -> None:
        if not http_address(url):
            raise InvalidInput(
                "the URL of a model must begin with http:// or https:// and name a host (and a port up to 65535); check ZEROMEM_CHAT_URL"
            )
        if not model.strip():
            raise InvalidInput("a model needs a name; set ZEROMEM_CHAT_MODEL")
        if find_spec("openai") is None:
            raise InvalidInput("a model over HTTP needs the package openai: pip install 'zeromem[llm]'")
        self.model = model
        self.timeout = timeout
        self.budget = budget or Budget()
        self.prices = prices or Prices()
        self._url, self._key, self._retries = url, key, retries
        self._unknown: frozenset[str] = frozenset()  # parameters that the endpoint does not take
        self._renew()
        watch(self, Endpoint._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()
        self._made: Any = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._host!r}, {self.model!r})"

    @property
    def _host(self) -> str:
        """The address without what it may hold of names and keys."""
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"

    def _client(self) -> Any:
        with self._lock:
            if self._made is None:
                # A blank key, organisation or project would be taken from the environment.
                self._made = import_module("openai").OpenAI(
                    api_key=self._key or "none", base_url=self._url, organization="", project="",
                    timeout=self.timeout, max_retries=self._retries,
                )  # fmt: skip
                # Gone with this object; not at the end of a forked child, whose parent still speaks over the same connection.
                weakref.finalize(self, self._made.close).atexit = False
            return self._made

    def _booked(self, prompt: int, most: int, ask: Callable[[Any, Settled], Any]) -> Any:
        """`ask(client, settled)` within the budget, its errors as ours."""
        with self.budget.call(prompt, most) as settled:
            began, failed = time.monotonic(), None
            try:
                return ask(self._client(), settled)
            except ZeromemError:
                raise
            except Exception as error:  # the client's, its transport's, and those of an answer in another form
                failed = self._failure(error)
            finally:
                settled.spent += Spent(seconds=time.monotonic() - began)
        raise failed  # outside, so that the client's error, whose request holds the key, does not hang on to it

    def _failure(self, error: Exception) -> ChatFailed:
        kind, status = type(error).__name__, getattr(error, "status_code", None)
        where = f"{self.model} at {self._host}"
        if "Timeout" in kind:
            return ChatFailed(
                f"{where} did not answer within {self.timeout:g} s; try again, or raise ZEROMEM_CHAT_TIMEOUT"
            )
        if status in _REFUSED:
            said = str(error).replace(self._key, "…") if self._key else str(error)
            return ChatRefused(f"{where} refuses the request: {said[:_SAID]}")
        if status is not None:
            return ChatFailed(f"{where} answered {status}: {_CURES.get(status, 'it is in trouble; try again later')}")
        if kind in ("APIConnectionError", "ConnectError", "ReadError", "RemoteProtocolError") or isinstance(
            error, OSError
        ):
            return ChatFailed(f"{where} cannot be reached, or hung up ({kind}); start it, or check ZEROMEM_CHAT_URL")
        return ChatFailed(
            f"{where} gave an answer that cannot be read ({kind}); check ZEROMEM_CHAT_URL and the endpoint"
        )


class HttpChat(Endpoint):
    """The port `Chat`."""

    def named(self, model: str) -> HttpChat:
        """The same endpoint and budget with another model, as for upkeep."""
        return HttpChat(
            self._url, model, self._key,
            timeout=self.timeout, retries=self._retries, budget=self.budget, prices=self.prices,
        )  # fmt: skip

    def chat(
        self,
        messages: Messages,
        *,
        schema: Schema | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        most: int = 1024,
        logprobs: int = 0,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        """See `ports.Chat`. Raises ChatFailed, ChatRefused, BudgetSpent."""
        wanted: dict[str, Any] = {
            "model": self.model, "messages": [dict(message) for message in messages], "temperature": 0.0,
            "max_tokens": most,
        }  # fmt: skip
        if schema is not None:
            told = {"name": "answer", "schema": dict(schema), "strict": True}
            wanted["response_format"] = {"type": "json_schema", "json_schema": told}
        if tools:
            wanted["tools"] = [dict(tool) for tool in tools]
        if logprobs:
            wanted |= {"logprobs": True, "top_logprobs": logprobs}
        if stream is not None:
            wanted |= {"stream": True, "stream_options": {"include_usage": True}}
        size = len(json.dumps([wanted["messages"], wanted.get("tools")], ensure_ascii=False).encode("utf-8", "replace"))
        reply: Reply = self._booked(size, most, lambda client, settled: self._asked(client, wanted, stream, settled))
        return reply

    def _asked(
        self, client: Any, wanted: dict[str, Any], stream: Callable[[str], None] | None, settled: Settled
    ) -> Reply:
        began = time.monotonic()
        for _ in range(_TRIES):
            try:
                answer = client.chat.completions.create(**_spoken(wanted, self._unknown))
                break
            except import_module("openai").BadRequestError as error:
                unknown = _blamed(str(error), wanted, self._unknown)
                if unknown is None:
                    raise
                self._unknown |= {unknown}
        else:
            raise ChatRefused(f"{self.model} at {self._host} takes none of the ways in which it was asked")
        if stream is not None:
            answer = _gathered(answer, stream, lambda: self._late(began))
        usage = answer.usage
        details = getattr(usage, "prompt_tokens_details", None)
        tokens = (usage.prompt_tokens or 0, usage.completion_tokens or 0) if usage else (0, 0)
        cached = getattr(details, "cached_tokens", 0) or 0
        settled.spent = Spent(1, *tokens, cached, 0.0, self.prices.of(*tokens, cached))
        spent = settled.spent + Spent(seconds=time.monotonic() - began)
        return _reply(answer.choices[0], answer.model or self.model, spent)

    def _late(self, began: float) -> None:
        """A stream that goes on and on is as slow as one that never begins: ten times the time-out is its end."""
        if time.monotonic() - began > 10 * self.timeout:
            raise ChatFailed(
                f"{self.model} at {self._host} was still answering after {10 * self.timeout:g} s; raise ZEROMEM_CHAT_TIMEOUT"
            )


class HttpEmbedder(Endpoint):
    """The port `Embedder`; `usual` (see there) has to be measured for a model, `prefixes` go before questions and passages."""

    version = "1"

    def __init__(
        self, url: str, model: str, key: str = "", *, dimension: int, usual: tuple[float, float] = (0.3, 0.1),
        prefixes: tuple[str, str] = ("", ""), **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(url, model, key, **options)
        self.name, self.dimension, self.usual, self._prefixes = model, dimension, usual, prefixes

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._vectors([self._prefixes[1] + text for text in texts])

    def query(self, text: str) -> Vectors:
        vector: Vectors = self._vectors([self._prefixes[0] + text])[0]
        return vector

    def _vectors(self, texts: list[str]) -> Vectors:
        safe = [text.encode("utf-8", "replace").decode() or " " for text in texts]

        def ask(client: Any, settled: Settled) -> Any:
            answer = client.embeddings.create(model=self.model, input=safe, encoding_format="float")
            settled.spent = _counted(answer, self.prices)
            return [one.embedding for one in sorted(answer.data, key=lambda one: one.index)]

        rows = np.asarray(self._booked(sum(len(text.encode()) for text in safe), 0, ask), np.float32)
        if rows.shape != (len(texts), self.dimension):
            raise ChatFailed(
                f"{self.model} at {self._host} gave vectors of shape {rows.shape}, not {(len(texts), self.dimension)}"
            )
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), np.float32)


class HttpReranker(Endpoint):
    """The port `Reranker`, over `POST /rerank` as vLLM, llama.cpp, Jina and Cohere have it."""

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `ports.Reranker`. Raises ChatFailed, ChatRefused, BudgetSpent."""
        body = {"model": self.model, "query": query, "documents": list(texts), "top_n": len(texts)}

        def ask(client: Any, settled: Settled) -> list[float]:
            answer = client.post("/rerank", cast_to=object, body=body)
            used = int((answer.get("usage") or {}).get("total_tokens") or 0)
            settled.spent = Spent(1, used, cost=self.prices.of(used, 0, 0))
            scores = {int(one["index"]): float(one["relevance_score"]) for one in answer["results"]}
            return [scores[i] for i in range(len(texts))]

        found: list[float] = self._booked(len(json.dumps(body).encode()), 0, ask) if texts else []
        return found


def _counted(answer: Any, prices: Prices) -> Spent:
    used = int(getattr(getattr(answer, "usage", None), "prompt_tokens", 0) or 0)
    return Spent(1, used, cost=prices.of(used, 0, 0))


def _spoken(wanted: Mapping[str, Any], unknown: frozenset[str]) -> dict[str, Any]:
    """The request without the parameters that an endpoint does not take; some have another name or a weaker form there."""
    out = {name: value for name, value in wanted.items() if name not in unknown}
    if "max_tokens" in unknown:
        out["max_completion_tokens"] = wanted["max_tokens"]
    if "response_format" in unknown and "json_object" not in unknown and "response_format" in wanted:
        out["response_format"] = {"type": "json_object"}
    return out


def _blamed(said: str, wanted: Mapping[str, Any], unknown: frozenset[str]) -> str | None:
    """Which parameter of the request the endpoint complains of, that it can be asked without."""
    names = [("max_tokens", ("max_tokens",)), ("temperature", ("temperature",)), ("stream_options", ("stream_options",)),
             ("response_format", ("response_format", "json_schema", "grammar"))]  # fmt: skip
    for name, words in names:
        if name in wanted and any(word in said for word in words):
            if name not in unknown:
                return name
            if name == "response_format" and "json_object" not in unknown:
                return "json_object"
    return None


def _reply(choice: Any, model: str, spent: Spent) -> Reply:
    message = choice.message
    calls = tuple(
        ToolCall(call.id or "", call.function.name or "", call.function.arguments or "")
        for call in message.tool_calls or ()
    )
    chances = tuple(
        TokenChance(one.token, one.logprob, tuple((other.token, other.logprob) for other in one.top_logprobs or ()))
        for one in (getattr(choice.logprobs, "content", None) or ())
    )
    return Reply(_text(message.content), model, choice.finish_reason or "stop", spent, calls, chances)


def _text(content: Any) -> str:
    """The text of an answer, which some endpoints give in parts."""
    parts = content if isinstance(content, list) else [{"text": content}]
    return "".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


class _Gathered:
    """A streamed answer in the form of a whole one."""

    def __init__(self) -> None:
        self.content, self.model, self.usage = "", "", None
        self.finish_reason: str | None = None
        self.tool_calls: list[Any] = []
        self.logprobs: Any = None

    @property
    def choices(self) -> list[Any]:
        return [self]

    @property
    def message(self) -> Any:
        return self


def _gathered(chunks: Any, stream: Callable[[str], None], check: Callable[[], None]) -> _Gathered:
    whole = _Gathered()
    for chunk in chunks:
        check()
        whole.model, whole.usage = chunk.model or whole.model, chunk.usage or whole.usage
        for choice in chunk.choices[:1]:
            whole.finish_reason = choice.finish_reason or whole.finish_reason
            for call in choice.delta.tool_calls or ():
                if call.index >= len(whole.tool_calls):
                    whole.tool_calls.append(call)
                else:
                    function = whole.tool_calls[call.index].function
                    function.arguments = (function.arguments or "") + (call.function.arguments or "")
            if choice.logprobs is not None and choice.logprobs.content:
                if whole.logprobs is None:
                    whole.logprobs = choice.logprobs
                else:
                    whole.logprobs.content.extend(choice.logprobs.content)
            if text := choice.delta.content:
                whole.content += text
                stream(text)
    if whole.finish_reason is None:
        raise ConnectionError("the stream ended before the answer did")
    return whole
