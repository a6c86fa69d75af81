"""Against a real model: JSON by a schema in two languages, streaming, log probabilities, usage, upkeep and `ask`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from zeromem import Memory
from zeromem.models.http import HttpChat
from zeromem.replies import Schema

pytestmark = pytest.mark.llm
SCHEMA: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "city"],
    "properties": {"name": {"type": "string"}, "city": {"type": "string"}},
}


@pytest.fixture(scope="module")
def chat(llm: str) -> HttpChat:
    return HttpChat(llm, "qwen", timeout=900.0, retries=0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ana lives in Bath. Give her name and city.", {"name": "Ana", "city": "Bath"}),
        ("王芳住在杭州。给出她的名字和城市。", {"name": "王芳", "city": "杭州"}),
    ],
    ids=["en", "zh"],
)  # fmt: skip
def test_json_by_a_schema(chat: HttpChat, text: str, found: dict[str, str]) -> None:
    """The endpoint holds the model to the schema; usage is told."""
    reply = chat.chat([{"role": "user", "content": text}], schema=SCHEMA, most=60)
    assert (json.loads(reply.text), reply.finish) == (found, "stop")
    assert reply.spent.calls == 1 and reply.spent.prompt > 10 and reply.spent.completion > 5


def test_streaming_and_logprobs(chat: HttpChat) -> None:
    """The pieces are the text; each token has its likeliest rivals."""
    ask = [{"role": "user", "content": "Say: hello world"}]
    pieces: list[str] = []
    reply = chat.chat(ask, most=8, stream=pieces.append)
    assert len(pieces) > 1 and "".join(pieces) == reply.text and reply.spent.completion > 0
    chances = chat.chat(ask, most=3, logprobs=2).logprobs
    assert chances and all(one.logprob <= 0 and len(one.likeliest) == 2 for one in chances)


TOLD = {
    "en": ["My sister Imogen lives in Bath.", "I am allergic to peanuts and I work as a nurse in Leeds."],
    "zh": ["我妹妹小雨住在杭州。", "我对花生过敏，在上海做护士。"],
}


@pytest.mark.parametrize("language", TOLD)
def test_upkeep_reads_messages(llm: str, chat: HttpChat, open_memory: Callable[..., Memory], language: str) -> None:
    """Whatever a small model proposes, what is stored is grounded, and the rest is set apart, dropped or ignored with a reason."""
    memory = open_memory(chat=chat, embedder="none")
    memory.add([{"role": "user", "content": text} for text in TOLD[language]], user="u")
    done = memory.maintain(user="u")
    assert (done.proposed.read, done.proposed.waiting) == (2, 0)
    assert all(item.reason for item in done.items)
    derived = memory.list(user="u", filters={"kind": "fact"})
    assert len(derived) == done.facts and all(card.made_by.startswith("facts@") for card in derived)
    spans = [span for card in derived for span in memory.expand(card.pointer, user="u").spans]
    assert all(span.text in "".join(TOLD[language]) for span in spans)
    assert memory.maintain(user="u").proposed.spent.calls == 0
    assert memory.verify().ok


def test_a_question_is_answered(chat: HttpChat, open_memory: Callable[..., Memory]) -> None:
    """From what is remembered; what it cites stands in the context."""
    memory = open_memory(chat=chat, embedder="none")
    memory.add("The spare key is under the blue flower pot.", user="u")
    found: Any = memory.ask("Where is the spare key?", user="u", tokens=60)
    assert "pot" in found.text and found.spent.completion > 0
    assert {one.pointer for one in found.citations} <= {one.pointer for one in found.context.citations}
