"""Deterministic models for tests, shipped so that users can test their own code without a model.

In: texts or messages. Out: vectors that depend on the words alone, the answers that a test gives, or the failure that it asks for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zeromem.errors import ChatFailed
from zeromem.ports import Vectors
from zeromem.replies import Messages, Reply, Schema, Spent
from zeromem.text.words import content, hashes, terms


class ScriptedEmbedder:
    """A bag of words as a unit vector: texts that share words are close, all others orthogonal.

    `fails` is raised by every call; `drop_last` returns one vector too few, as a broken server would.
    """

    usual = (0.02, 0.05)

    def __init__(
        self,
        dimension: int = 256,
        *,
        name: str = "scripted",
        version: str = "1",
        fails: Exception | None = None,
        drop_last: bool = False,
    ) -> None:
        self.dimension = dimension
        self.name = name
        self.version = version
        self.fails = fails
        self.drop_last = drop_last
        self.calls = 0

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if self.fails is not None:
            raise self.fails
        vectors = np.stack([self._vector(text) for text in texts])
        return vectors[:-1] if self.drop_last else vectors

    def query(self, text: str) -> Vectors:
        self.calls += 1
        if self.fails is not None:
            raise self.fails
        return self._vector(text)

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension, np.float32)
        found = terms(text)
        for number in hashes(content(found) or found):
            vector[int(number) % self.dimension] += 1.0
        length = float(np.linalg.norm(vector))
        return vector / length if length else vector


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a ScriptedChat, as it was made."""

    messages: tuple[Mapping[str, Any], ...]
    schema: Schema | None
    tools: tuple[Mapping[str, Any], ...]
    most: int

    @property
    def text(self) -> str:
        """All that was said to the model."""
        return "\n".join(str(message.get("content") or "") for message in self.messages)


@dataclass(frozen=True, slots=True)
class HangsUp:
    """A scripted answer of which only the first half arrives before the connection breaks."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class TimesOut:
    """A scripted answer that never comes."""


Scripted = str | Reply | Exception | HangsUp | TimesOut


class ScriptedChat:
    """Answers in order; the last one again and again. `calls` counts the calls, `asked` holds them.

    An answer is a text, a Reply, an exception to raise, `HangsUp(…)` or `TimesOut()`; instead of answers, a function from `Asked` to one.
    A token is four characters, so that what calls cost is known.
    """

    def __init__(self, replies: Sequence[Scripted] | Callable[[Asked], Scripted], *, model: str = "scripted") -> None:
        self.model = model
        self.calls = 0
        self.asked: list[Asked] = []
        self._replies = replies

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
        """See `ports.Chat`."""
        asked = Asked(tuple(json.loads(json.dumps([dict(one) for one in messages]))), schema, tuple(tools or ()), most)
        self.calls += 1
        self.asked.append(asked)
        if callable(self._replies):
            answer = self._replies(asked)
        elif self._replies:
            answer = self._replies[min(self.calls, len(self._replies)) - 1]
        else:
            answer = ChatFailed("the script of this chat has no answers")
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, TimesOut):
            raise ChatFailed(f"{self.model} did not answer in time; try again")
        text = answer if isinstance(answer, str) else answer.text
        if stream is not None:
            stream(text[: len(text) // 2])
        if isinstance(answer, HangsUp):
            raise ChatFailed(f"{self.model} hung up; try again")
        if stream is not None:
            stream(text[len(text) // 2 :])
        reply = answer if isinstance(answer, Reply) else Reply(text, self.model)
        spent = Spent(1, len(asked.text) // 4, len(text) // 4)
        return reply if reply.spent.calls else replace(reply, spent=spent)
