"""Values as JSON: every value of the library has a form, nothing makes the writer fail, every error has its exit code."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
import pytest

import zeromem
from zeromem import Memory, Scope
from zeromem.surfaces.wire import dump, exit_code, failure, record
from zeromem.types import Hit, Hits, Span


@pytest.fixture
def memory():
    with Memory.open(":memory:", embedder=None, background=False) as opened:
        opened.add(
            "The blue key opens the cellar.", user="ana", session="s", metadata={"n": 1, "o": {"x": [None, 1.5]}}
        )
        yield opened


def test_a_card_is_flat(memory):
    """The scope's ids are plain keys; offsets and row numbers stay inside."""
    (card,) = memory.list(user="ana")
    assert record(card) == {
        "id": card.id, "pointer": card.pointer, "version": 1, "tenant": None, "user": "ana", "agent": None, "session": "s",
        "kind": "message", "role": "user", "speaker": None, "text": "The blue key opens the cellar.", "at": card.at,
        "created_at": card.created_at, "updated_at": card.updated_at, "source_id": None,
        "metadata": {"n": 1, "o": {"x": [None, 1.5]}}, "made_by": card.made_by, "tokens": card.tokens,
    } | {"user": "ana", "agent": None, "session": "s", "tenant": None}  # fmt: skip


def test_every_result_has_a_form(memory):
    """What each verb returns becomes JSON that reads back as the same plain value."""
    pointer = memory.list(user="ana")[0].pointer
    context = memory.recall("which key opens the cellar?", user="ana")
    results = [
        memory.add("好的", user="ana"), context, memory.search("key", user="ana"), memory.get(pointer), memory.expand(pointer),
        memory.resolve(f"see [m:{pointer}] and [m:none]"), memory.list(user="ana"), memory.messages(user="ana"),
        memory.history(pointer), memory.stats(), memory.verify(), memory.scopes(), memory.feedback(context.id, outcome=True),
        memory.import_(memory.export()), memory.facts(user="ana"), memory.add_fact("Ana", "job", "cook", user="ana"),
        memory.clarifications(user="ana"), memory.event_times(pointer), memory.brief(user="ana"), memory.compress("the blue key, the red key"),
        memory.pin(pointer), memory.standing(pointer), memory.maintain(), memory.retain("tool", 30, user="ana"), memory.retentions(),
        memory.close_session(["The cellar is dry."], user="ana", session="s"),
    ]  # fmt: skip
    for result in results:
        assert json.loads(dump(result)) == record(result)


def test_receipts_and_contexts_carry_what_they_derive(memory):
    """Properties that callers need stand in the JSON too."""
    receipt = memory.add("Tea at four.", user="ana")
    context = memory.recall("which key opens the cellar?", user="ana")
    assert record(receipt)["pointer"] == receipt.pointer
    assert record(context)["saved"] == context.saved
    assert record(memory.verify())["ok"] is True


def test_hits_say_what_they_could_not_do(memory):
    """A list of hits is an object with its hits, each flat with score and arms, and what failed."""
    (hit,) = memory.search("key", user="ana")
    told = record(Hits([Hit(hit.card, 1.0, {"dense": float("nan")})], degraded=("dense: gone",)))
    assert (told["hits"][0]["arms"], told["hits"][0]["score"], told["degraded"]) == (
        {"dense": None},
        1.0,
        ["dense: gone"],
    )


def test_what_is_superseded_names_what_superseded_it(memory):
    """A hit carries the pointer of the card that overtook it, and the list whether anything was said in the time asked for."""
    for text, day in (("I live in Leeds.", "2026-01-03"), ("I moved to Bath.", "2026-03-10")):
        memory.add(text, at=day, user="ana")
    told = record(memory.search("Leeds last week", at="2026-05-01", include_superseded=True, user="ana"))
    assert [hit["superseded_by"] for hit in told["hits"] if hit["pointer"] == "leeds"] == ["bath"]
    assert told["time_match"] is False


def test_facts_questions_and_times_have_their_fields_by_name(memory):
    """What the verbs about facts return has the names of Python, and whether a fact is current."""
    memory.add("My birthday is June 9.", at="2026-01-03", user="ana")
    pointer = memory.add("My birthday is July 8, I say since 2026-04-02.", at="2026-02-03", user="ana").pointer
    fact, question = memory.facts(slot="birthday", user="ana")[0], memory.clarifications(user="ana")[0]
    time = memory.event_times(pointer, user="ana")[-1]
    for value, more in ((fact, {"current": True}), (question, {}), (time, {})):
        plain = {field.name: getattr(value, field.name) for field in fields(value)}
        assert json.loads(dump(value)) == json.loads(json.dumps(plain | more))


def test_a_span_names_its_event(memory):
    """A span is its event's id and the characters, not the whole event again."""
    (span,) = memory.expand(memory.list(user="ana")[0].pointer).spans
    assert record(Span(span.event, 4, 8)) == {"event_id": span.event.id, "start": 4, "end": 8, "text": "blue"}


def test_nothing_makes_the_writer_fail():
    """Numbers of numpy, infinities, sets, bytes and foreign objects become something readable."""
    assert record({1: np.float32(0.5), "n": np.int64(3), "i": float("inf"), "s": {1}, "b": b"x"}) == {
        "1": 0.5, "n": 3, "i": None, "s": [1], "b": "b'x'",
    }  # fmt: skip
    assert dump({"x": object}).startswith('{"x": ')


def test_text_is_escaped_only_where_it_must_be():
    """UTF-8 stays as it is; a lone surrogate makes its own record escape, and reads back the same."""
    assert dump({"t": "花盆"}) == '{"t": "花盆"}'
    assert json.loads(dump({"t": "花\ud83d"})) == {"t": "花\ud83d"}
    dump({"t": "花\ud83d"}).encode("utf-8")


def test_every_error_has_its_exit_code():
    """1 not found, 2 fix the call, 3 the store, 4 try again; no error class is forgotten."""
    kinds = [getattr(zeromem, name) for name in zeromem.__all__]
    errors = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, zeromem.ZeromemError)]
    codes = {kind.__name__: exit_code(kind("x")) for kind in errors}
    assert codes == {
        "NotFound": 1, "Ambiguous": 2, "InvalidInput": 2, "InvalidScope": 2, "InvalidFilter": 2, "StoreBusy": 4,
        "NoChat": 2, "ChatFailed": 4, "ChatRefused": 4, "BudgetSpent": 4,
        "StoreError": 3, "ForeignFile": 3, "NewerSchema": 3, "StoreFull": 3, "EmbedderFailed": 3, "EmbedderMismatch": 3, "ZeromemError": 3,
    }  # fmt: skip


def test_an_error_tells_its_type_and_message():
    """The form of an error is the same in every surface."""
    assert failure(zeromem.NotFound("no such card")) == (1, {"error": {"type": "NotFound", "message": "no such card"}})


def test_a_scope_alone_is_its_four_ids():
    """As a value of its own a scope is a flat dict."""
    assert record(Scope(user="ana")) == {"tenant": None, "user": "ana", "agent": None, "session": None}
