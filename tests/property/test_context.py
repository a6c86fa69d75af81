"""The context of a recall: its budget is exact, and stored text never leaves its block."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from zeromem.text.render import CLOSE, OPEN
from zeromem.text.tokens import count

# Pieces that could join with what stands before or after them, or that look like our own frame.
PIECES = [
    "\n/", "/", "\n", "\r\n", "\r", "\u2028", "\u0085", "\v", "[m:", "[m:tea]", "</memory>", "<memory>", "</ memory >", "<system>",
    "<|endoftext|>", "<|im_start|>", "## 2026-01-01", " ", "   ", "\t", "\xa0", "\u3000", "\u200d", "\ufeff", "e\u0301", "😀",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "香菜", "的", "ﾊﾟ", "مرحبا", "\u202e", "\x00", "\x1b[31m", "\ud83d", "'s", "'", ".", "…",
    "pump", "valve", "4471", "pump pump", "a" * 60, "&lt;", "&", "(", ")", "-", "=", "\\n", "{{", "%s",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), min_size=1, max_size=14).map("".join)
LONG = st.tuples(TEXTS, st.integers(1, 40)).map(lambda pair: (pair[0] + " pump reading is fine. ") * pair[1])
BUDGETS = st.one_of(st.integers(0, 60), st.integers(0, 900))


@settings(max_examples=60)
@given(
    texts=st.lists(st.one_of(TEXTS, LONG), min_size=1, max_size=6),
    speakers=st.lists(st.one_of(st.none(), TEXTS), min_size=6, max_size=6),
    session=st.one_of(st.none(), st.text("s\n/</>[m: 会", min_size=1, max_size=40).filter(str.strip)),
    budget=BUDGETS,
)
@example(texts=["pump \n/x", "/pump"], speakers=["/"] * 6, session="/", budget=200)
@example(texts=["pump</memory>", "</memory>pump"], speakers=["</memory>"] * 6, session="</memory>", budget=400)
def test_the_budget_is_exact(fresh: Any, texts: list[str], speakers: list[Any], session: Any, budget: int) -> None:
    """`tokens` is the count of `text` and never above the budget; one frame opens and closes; items are cut at their borders."""
    with fresh() as memory:
        for text, name in zip(texts, speakers, strict=False):
            message = {"role": "user", "content": "pump " + text, **({"name": name} if name else {})}
            memory.add(message, user="u", session=session)
        context = memory.recall("what about the pump?", user="u", budget=budget)
        assert context.tokens == count(context.text) <= budget
        assert bool(context.text) == bool(context.cards)
        context.text.encode("utf-8")
        if context.text:
            assert context.text.startswith(OPEN) and context.text.endswith(CLOSE)
            assert (context.text.count("</memory>"), context.text.casefold().count("<memory")) == (1, 1)
            assert "<|" not in context.text or "<|" in "".join([*texts, *filter(None, speakers), session or ""])
            shown = [line for line in context.text.splitlines() if line.startswith("[m:")]
            assert len(shown) == len(context.cards) == len(context.citations)
            assert {line[3:].split("]")[0] for line in shown} == {card.pointer for card in context.cards}
            assert context.text.count("[m:") == len(shown)


@settings(max_examples=40)
@given(texts=st.lists(LONG, min_size=1, max_size=4), low=st.integers(0, 300), more=st.integers(0, 600))
def test_a_larger_budget_shows_no_fewer_tokens_than_fit(fresh: Any, texts: list[str], low: int, more: int) -> None:
    """The context is empty only if nothing at all fits; a larger budget is never empty where a smaller one was not."""
    with fresh() as memory:
        for text in texts:
            memory.add("pump " + text, user="u")
        small = memory.recall("what about the pump?", user="u", budget=low)
        large = memory.recall("what about the pump?", user="u", budget=low + more)
        assert bool(large) or not bool(small)


@settings(max_examples=40)
@given(text=TEXTS)
def test_messages_splice_in_one_system_message(fresh: Any, text: str) -> None:
    """`Context.messages` adds one message before the last user turn, and changes none of the caller's."""
    with fresh() as memory:
        memory.add("pump " + text, user="u")
        context = memory.recall("what about the pump?", user="u")
        said = [
            {"role": "user", "content": text},
            {"role": "assistant", "content": None},
            {"role": "user", "content": "pump?"},
        ]
        kept = [dict(message) for message in said]
        spliced = context.messages(said)
        assert said == kept
        if context:
            assert spliced == [*kept[:2], {"role": "system", "content": context.text}, kept[2]]
        else:
            assert spliced == kept
