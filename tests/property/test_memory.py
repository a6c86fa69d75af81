"""What holds for any text: nothing is lost or changed, nothing is added twice, and errors are ours."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from zeromem import Document, InvalidInput, ZeromemError

TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("\ud800\udfff\x00\n\r\u2028 香菜的😀\u200d")), min_size=1, max_size=60
)
SAID = TEXT.filter(str.strip)
KEYS = st.one_of(
    st.sampled_from(
        ["role", "content", "type", "text", "name", "tool_calls", "function", "arguments", "id", "at", "time", "tool_call_id",
         "input", "image_url", "tool_use_id", "output", "call_id", "timestamp", "title", "function_call", "messages"]
    ),
    st.text(max_size=5),
)  # fmt: skip
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), TEXT, st.binary(max_size=5),
    st.sampled_from(
        ["user", "assistant", "tool", "system", "developer", "function", "text", "tool_use", "tool_result", "function_call",
         "function_call_output", "document", "input_text", "2026-01-01", "{", '{"a": 1}']
    ),
)  # fmt: skip
JSONISH = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=12,
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system", "boss", "\ud83d"]), "content": st.one_of(st.none(), SAID, JSONISH)},
    optional={
        "name": LEAVES, "tool_calls": JSONISH, "tool_call_id": LEAVES, "at": LEAVES, "type": LEAVES, "function_call": JSONISH,
    },
)  # fmt: skip


@settings(max_examples=200)
@given(content=st.one_of(JSONISH, MESSAGE, st.lists(MESSAGE, max_size=4)), metadata=JSONISH, at=LEAVES)
def test_add_raises_only_our_errors(fresh: Any, content: Any, metadata: Any, at: Any) -> None:
    """Any JSON-like input is taken or refused with a typed error; refused means nothing stored; nothing of it is changed."""
    with fresh(embedder="none") as memory:
        kept = copy.deepcopy((content, metadata))
        try:
            receipt = memory.add(content, user="u", metadata=metadata, at=at)
        except ZeromemError:
            assert list(memory.export()) == [{"type": "header", "zeromem": 1}]
        else:
            assert memory.verify().problems == ()
            assert all(item.reason for item in receipt.items)
            json.dumps(list(memory.export()))
        assert repr((content, metadata)) == repr(kept)


@settings(max_examples=100)
@given(query=st.one_of(JSONISH, TEXT, st.lists(MESSAGE, max_size=3)), options=st.dictionaries(st.sampled_from(
    ["filters", "within", "exclude_session", "after", "before", "at", "arms", "window", "most", "budget", "session", "agent"]
), JSONISH, max_size=3))  # fmt: skip
def test_recall_raises_only_our_errors(fresh: Any, query: Any, options: dict[str, Any]) -> None:
    """The same for whatever is asked."""
    with fresh() as memory:
        memory.add(["the red kettle", "the blue valve"], user="u", session="s", metadata={"n": 1})
        kept = repr((query, options))
        try:
            context = memory.recall(query, user="u", **options)
        except ZeromemError:
            pass
        else:
            assert context.tokens <= context.budget
        assert repr((query, options)) == kept


@settings(max_examples=100)
@given(text=TEXT)
@example(text="ok \ud83d done")
@example(text="\x00")
@example(text="\r\n a \r b \n")
@example(text="x" * 50_000)
def test_expand_is_byte_exact(fresh: Any, text: str) -> None:
    """Whatever was said comes back exactly, from the card where there is one and from the session in any case."""
    with fresh(embedder="none") as memory:
        receipt = memory.add({"role": "user", "content": text}, user="u", session="s")
        said = [event.text for event in memory.messages(user="u", session="s")]
        if not text.strip():
            assert (said, receipt.items[0].status) == ([], "ignored")
            return
        assert said == [text]
        for id_ in receipt.ids:
            assert memory.expand(id_).text == text
            assert all(span.text in text for span in memory.expand(id_).spans)


@settings(max_examples=60)
@given(
    words=st.lists(
        st.sampled_from(["tea", "水泵", "a valve.", "\n\n", "香菜的。", "So it is! ", "x", "\ud83d"]),
        min_size=50,
        max_size=1500,
    )
)
def test_segments_lose_nothing(fresh: Any, words: list[str]) -> None:
    """The spans of a long text's cards together cover every visible character of it."""
    text = " ".join(words)
    with fresh(embedder="none") as memory:
        receipt = memory.add(Document(text), user="u")
        covered: set[int] = set()
        for id_ in receipt.ids:
            for span in memory.expand(id_).spans:
                covered |= set(range(span.start, span.end))
        assert not [i for i, char in enumerate(text) if not char.isspace() and i not in covered]


@settings(max_examples=50)
@given(said=st.lists(SAID, min_size=1, max_size=5), again=st.integers(1, 3))
def test_a_source_is_added_once(fresh: Any, said: list[str], again: int) -> None:
    """Under a `source_id` the same content adds nothing, however often, in append and in replace mode."""
    with fresh(embedder="none") as memory:
        memory.add(said, user="u", source_id="d")
        before = list(memory.export())
        for turn in range(again):
            mode = "append" if turn % 2 else "replace"
            receipt = memory.add(said, user="u", source_id="d", mode=mode)
            assert {item.status for item in receipt.items} <= {"duplicate", "ignored"}
        assert list(memory.export()) == before


@settings(max_examples=50)
@given(first=st.lists(SAID, min_size=1, max_size=4), second=st.lists(SAID, min_size=1, max_size=4))
def test_replace_says_what_it_says(fresh: Any, first: list[str], second: list[str]) -> None:
    """After a replace the cards are those that the new content alone would make."""
    with fresh(embedder="none") as memory, fresh(embedder="none") as alone:
        memory.add(first, user="u", source_id="d")
        memory.add(second, user="u", source_id="d", mode="replace")
        alone.add(second, user="u", source_id="d")

        def words(of: Any) -> set[str]:
            import unicodedata

            return {" ".join(unicodedata.normalize("NFKC", card.text).split()) for card in of.list(user="u")}

        assert words(memory) == words(alone)
        assert memory.verify().problems == ()


OPS = st.lists(
    st.tuples(st.sampled_from(["add", "add", "update", "metadata", "delete"]), st.integers(0, 20), SAID),
    min_size=1,
    max_size=12,
)


def play(memory: Any, ops: list[tuple[str, int, str]], user: str = "u") -> list[str]:
    """Run the operations; return the ids of all cards ever made."""
    ids: list[str] = []
    for op, which, text in ops:
        if op == "add" or not ids:
            ids += [i for i in memory.add("note " + text, user=user, session=f"s{which % 3}").ids if i not in ids]
            continue
        id_ = ids[which % len(ids)]
        try:
            if op == "update":
                memory.update(id_, "changed " + text)
            elif op == "metadata":
                memory.update(id_, metadata={"n": which})
            else:
                memory.delete(id_)
        except LookupError:
            pass  # it was deleted before
    return ids


@settings(max_examples=50)
@given(ops=OPS)
def test_history_chains(fresh: Any, ops: list[tuple[str, int, str]]) -> None:
    """Each change begins where the one before it ended, versions count up, times do not go back, the last is what is current."""
    with fresh(embedder="none") as memory:
        for id_ in play(memory, ops):
            history = memory.history(id_)
            assert (history[0].event, history[0].old) == ("ADD", None)
            assert [change.version for change in history] == list(range(1, len(history) + 1))
            assert all(a.new == b.old for a, b in itertools.pairwise(history))
            assert [change.at for change in history] == sorted(change.at for change in history)
            current = [card.text for card in memory.list(user="u") if card.id == id_]
            assert current == ([] if history[-1].new is None else [history[-1].new])


@settings(max_examples=40)
@given(ops=OPS, said=st.lists(MESSAGE, max_size=3))
def test_export_import_is_identity(fresh: Any, clock: Any, ops: list[tuple[str, int, str]], said: list[Any]) -> None:
    """export → import → export gives the same records; a second import adds nothing; searches agree."""
    with fresh() as memory, fresh() as other:
        play(memory, ops)
        with contextlib.suppress(InvalidInput):
            memory.add(said, user="u", source_id="d", metadata={"n": [1, None]})
        exported = [json.loads(json.dumps(record)) for record in memory.export()]
        other.import_(exported)
        assert list(other.export()) == exported
        assert other.import_(exported).added == 0
        assert list(other.export()) == exported
        assert other.verify().problems == ()
        clock.step = 0  # nearness in time is part of a score, so both are asked at one moment
        mine, theirs = (m.search("note changed", user="u", k=50) for m in (memory, other))
        assert {(hit.id, round(hit.score, 3)) for hit in mine} == {(hit.id, round(hit.score, 3)) for hit in theirs}
        clock.step = 1_000


@settings(max_examples=25)
@given(ops=OPS, writes=st.lists(SAID, max_size=6), size=st.integers(1, 4), order=st.sampled_from(["time", "added"]))
def test_pages_have_each_card_once(fresh: Any, ops: Any, writes: list[str], size: int, order: str) -> None:
    """While others write between pages, every card that was there is seen exactly once."""
    with fresh(embedder="none") as memory:
        play(memory, ops)
        there = [card.id for card in memory.list(user="u", order=order, limit=1000)]
        seen: list[str] = []
        cursor = None
        pending = list(writes)
        while True:
            page = memory.list(user="u", order=order, limit=size, cursor=cursor)
            seen += [card.id for card in page]
            if pending:
                memory.add("meanwhile " + pending.pop(), user="u")
            cursor = page.cursor
            if cursor is None:
                break
        assert [id_ for id_ in seen if id_ in there] == there
        assert len(seen) == len(set(seen))
