"""Cases of the kind "retrieval gating / noise": memory speaks when it helps, says why it is silent, and never over budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from zeromem import Memory, StoreError
from zeromem.models.scripted import ScriptedEmbedder
from zeromem.text.tokens import count

TOPICS = ("the boiler", "my sister's flat", "the garden fence", "the tax form", "the blue bicycle", "门口的信箱")


def seed(mem: Memory, number: int) -> None:
    """Cards over several sessions and topics."""
    for i in range(number):
        topic = TOPICS[i % len(TOPICS)]
        mem.add(f"Note {i}: {topic} needs part {i * 37} before the {i % 27 + 1}th.", user="u", session=f"s{i // 6}")


@pytest.fixture
def seeded(open_memory: Callable[..., Memory]) -> Memory:
    mem = open_memory()
    seed(mem, 30)
    mem.embed_pending()
    return mem


def test_c124_confirmations_inject_nothing(seeded: Memory) -> None:
    """Acknowledgements in both languages cost no token, and the context says why."""
    for query in (
        "好的",
        "可以",
        "继续",
        "运行",
        "?",
        "👍",
        "ok",
        "yes",
        "thanks!",
        "嗯嗯",
        "Sure, go ahead.",
        "行，就这样",
    ):
        context = seeded.recall(query, user="u")
        assert (context.text, context.tokens, context.cards, bool(context.reason)) == ("", 0, (), True), query


def test_c125_unrelated_question_injects_nothing(mem: Memory) -> None:
    """不相干的问题什么也不注入，并说明低于阈值。"""
    mem.add("CocoIndex 项目的代码检索工具还在调试。", user="u")
    context = mem.recall("测试模型访问", user="u")
    assert "CocoIndex" not in context.text
    assert "threshold" in context.reason or any("threshold" in record.why for record in context.trace)


@pytest.mark.parametrize(
    "query",
    [
        "what is the capital of Peru?",
        "write a haiku about autumn leaves",
        "请解释一下量子纠缠",
        "帮我把这段话翻译成法语",
    ],
)
def test_c125_other_unrelated_questions(seeded: Memory, query: str) -> None:
    """Other questions that memory knows nothing about."""
    assert seeded.recall(query, user="u").text == ""


def test_c127_current_session_is_not_echoed(mem: Memory) -> None:
    """What was said in the excluded session is left out; without the exclusion it is found."""
    mem.add("draft v3 is in drive", user="u", session="now")
    excluded = mem.recall("where is the draft", user="u", exclude_session="now")
    assert (excluded.text, excluded.cards) == ("", ())
    assert "draft v3 is in drive" in mem.recall("where is the draft", user="u").text


def test_c127_the_callers_window(mem: Memory) -> None:
    """The last turns of the named session are the caller's window; the other session's card still comes."""
    mem.add("the old draft is on the red usb stick", user="u", session="old")
    mem.add("draft v3 is in drive", user="u", session="now")
    context = mem.recall("where is the old draft", user="u", session="now")
    assert [card.session for card in context.cards] == ["old"]
    messages = [
        {"role": "user", "content": "draft v3 is in drive"},
        {"role": "user", "content": "where is the old draft"},
    ]
    assert [card.session for card in mem.recall(messages, user="u").cards] == ["old"]


def test_c128_old_task_is_background(mem: Memory) -> None:
    """A greeting brings up no old task; a question brings it dated, under a label that says it is no instruction."""
    mem.add("Next: delete the staging bucket.", user="u", session="old", at="2026-01-01")
    assert mem.recall("hello", user="u", session="new").text == ""
    context = mem.recall("what did we plan for the staging bucket?", user="u", session="new")
    lines = context.text.splitlines()
    assert "previous sessions" in lines[0] and "not instructions" in lines[0]
    assert lines[1] == "## 2026-01-01 · old"
    assert "delete the staging bucket" in lines[2]


def test_c129_instruction_like_query(mem: Memory) -> None:
    """A question behind 60 sentences of instructions is answered."""
    mem.add("Lab key is in drawer 4.", user="u")
    mem.add("The kettle is in the kitchen.", user="u")
    query = "You are a careful agent. " * 60 + " where is the lab key?"
    assert any("drawer 4" in hit.text for hit in mem.search(query, user="u", k=3))


@pytest.mark.parametrize("error", [TimeoutError("no answer"), MemoryError(), ValueError("dim"), OSError("gone")])
def test_c131_one_arm_failing(open_memory: Callable[..., Memory], error: Exception) -> None:
    """A failing embedder is named in `degraded`; the keyword arm answers search and recall."""
    mem = open_memory(embedder=ScriptedEmbedder(fails=error))
    mem.add("copper pot on the shelf", user="u")
    hits = mem.search("copper pot", user="u")
    assert [hit.text for hit in hits] == ["copper pot on the shelf"]
    assert {entry.startswith("dense") and type(error).__name__ in entry for entry in hits.degraded} == {True}
    context = mem.recall("where is the copper pot?", user="u")
    assert "copper pot" in context.text
    assert all(entry.startswith("dense") for entry in context.degraded) and context.degraded


def test_c132_library_an_error_is_not_nothing(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that cannot be read raises; it never looks like an empty memory."""
    mem = open_memory(embedder="none")
    mem.add("x marks the spot", user="u")
    mem.close()
    for call in (
        lambda: mem.search("spot", user="u"),
        lambda: mem.recall("where is the spot?", user="u"),
        lambda: mem.list(user="u"),
        lambda: mem.messages(user="u"),
        lambda: mem.stats(),
        lambda: mem.add("more", user="u"),
    ):
        with pytest.raises(StoreError):
            call()


@pytest.mark.xfail(strict=True, raises=ImportError, reason="waits for the REST surface")
def test_c132_rest_an_error_is_not_nothing(rest: Any) -> None:
    """Over REST: a 5xx."""
    rest.app.state.memory.close()
    assert rest.get("/users/u/search", params={"q": "x"}).status_code >= 500


@pytest.mark.xfail(strict=True, raises=ImportError, reason="waits for the MCP server")
def test_c132_mcp_an_error_is_not_nothing(mcp: Any, tmp_path: Any) -> None:
    """Over MCP: isError."""
    mcp.tool("add", content="x marks the spot")
    (tmp_path / "memory.db").write_bytes(b"no database at all" * 500)
    assert mcp.tool("search", query="spot")["result"]["isError"] is True


def seed_long(mem: Memory, number: int) -> None:
    for i in range(number):
        sentences = [f"Topic report {i}, part {part}: the pump {i * part} was checked and noted." for part in range(14)]
        mem.add(" ".join(sentences), user="u", session=f"s{i}", at=f"2026-01-{i % 28 + 1:02}")


@pytest.mark.parametrize("budget", [0, 1, 15, 16, 40, 80, 150, 300, 1000, 100_000])
def test_c133_budget(open_memory: Callable[..., Memory], budget: int) -> None:
    """The count is exact and within the budget, items are whole or marked, what was dropped is listed."""
    mem = open_memory(embedder=ScriptedEmbedder())
    seed_long(mem, 20)
    context = mem.recall("what does the topic report say about the pump?", user="u", budget=budget)
    assert context.tokens == count(context.text) <= budget
    shown = {citation.pointer: citation.shortened for citation in context.citations}
    for card in context.cards:
        assert f"[m:{card.pointer}]" in context.text
        assert shown[card.pointer] or card.text in context.text
        assert mem.expand(card.pointer, user="u").text == card.text
    if shown:
        assert not set(shown) & set(context.dropped)
    if budget >= 80:
        assert context.cards, "the best card always gets in, whole, shortened or as a pointer"
    if budget <= 300:
        assert context.dropped or not context.cards


def test_c133_best_item_is_included(open_memory: Callable[..., Memory]) -> None:
    """The highest-ranked card is in the context, whole or shortened, under a budget smaller than its text."""
    mem = open_memory(embedder=ScriptedEmbedder())
    seed_long(mem, 20)
    query = "what does topic report 7 say?"
    best = mem.search(query, user="u", k=1)[0].pointer
    context = mem.recall(query, user="u", budget=120)
    assert best in [citation.pointer for citation in context.citations]
