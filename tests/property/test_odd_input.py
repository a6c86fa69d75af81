"""What callers also give: megabytes, ten thousand messages, nesting without end, huge numbers. A typed error or a sane result."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from zeromem import Document, InvalidInput, Memory, NotFound
from zeromem.text.tokens import count

DEEP: dict[str, Any] = {}
_inner = DEEP
for _ in range(5000):
    _inner["a"] = {}
    _inner = _inner["a"]
CYCLIC: dict[str, Any] = {}
CYCLIC["self"] = CYCLIC


def tool_call(arguments: object) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": arguments}}]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "The pump number 7 was checked and noted. " * 125_000,
        "x" * 5_000_000,
        "水" * 1_700_000,
        "\n" * 2_500_000 + "end",
    ],
    ids=["sentences", "one word", "han", "newlines"],
)
def test_five_megabytes(plain: Memory, text: str) -> None:
    """A message of five megabytes is stored whole, and read again without holding it many times over."""
    receipt = plain.add(text, user="u")
    assert receipt.count("stored") >= 1
    assert plain.messages(user="u")[0].text == text
    assert all(span.event.text == text for span in plain.expand(str(receipt.id)).spans[:3])
    context = plain.recall(text[-200:] + " pump?", user="u", budget=300)
    assert context.tokens <= 300


def test_a_text_said_over_and_over(plain: Memory) -> None:
    """A long text that repeats itself is few cards with many spans; each event is read once."""
    plain.add("The pump was checked on Tuesday. " * 20_000, user="u")
    for card in plain.list(user="u"):
        spans = plain.expand(card.id).spans
        assert len({id(span.event) for span in spans}) == 1
    assert plain.verify().problems == ()


@pytest.mark.slow
def test_ten_thousand_messages(plain: Memory) -> None:
    """One add of ten thousand messages: all are there, in order, and the same add again makes no card."""
    said = [f"entry {i} about shelf {i * 7}" for i in range(10_000)]
    assert plain.add(said, user="u", session="s").count("stored") == 10_000
    assert [event.text for event in plain.messages(user="u", session="s")] == said
    assert plain.add(said, user="u", session="s").count("duplicate") == 10_000
    assert plain.search("entry 700 about shelf 4900", user="u", k=1)[0].text == "entry 700 about shelf 4900"


def test_megabytes_in_other_places(plain: Memory) -> None:
    """Arguments of tools, names, updates and questions may be long too."""
    long = "pump and valve " * 100_000
    plain.add([tool_call({"query": long})], user="u")
    plain.add({"role": "user", "name": long, "content": "the long name speaks"}, user="u")
    id_ = str(plain.add("the short card", user="u").id)
    plain.update(id_, long)
    assert plain.get(id_).text == long
    assert plain.recall(long, user="u", budget=100).tokens <= 100
    assert plain.verify().problems == ()


@pytest.mark.parametrize(
    "content",
    [{"role": "user", "content": [{"type": "x", "y": value}]} for value in (DEEP, CYCLIC, {(1, 2): 3}, 10**5000)]
    + [tool_call(DEEP), tool_call(CYCLIC), {"role": "user", "content": "x", "extra": CYCLIC}],
)
def test_values_that_json_cannot_hold(plain: Memory, content: Any) -> None:
    """Nesting without end, circles and odd keys in a message are an InvalidInput; nothing is stored."""
    with pytest.raises(InvalidInput):
        plain.add(["first", content], user="u")
    assert plain.messages(user="u") == []


def test_arguments_that_are_no_json(plain: Memory) -> None:
    """Arguments that cannot be read as JSON are kept as the text they are."""
    for arguments in ("[" * 100_000, "{broken", "", "\ud83d"):
        plain.add([tool_call(arguments)], user="u")
    assert plain.verify().problems == ()


@pytest.mark.parametrize(
    "metadata", [DEEP, CYCLIC, {"n": 10**5000}, {"n": float("nan")}, {1: 2}, {"n": {1, 2}}, [1], "x"]
)
def test_metadata_that_json_cannot_hold(plain: Memory, metadata: Any) -> None:
    """The same for metadata, when added and when updated."""
    id_ = str(plain.add("a card", user="u").id)
    for call in (lambda: plain.add("x y", user="u", metadata=metadata), lambda: plain.update(id_, metadata=metadata)):
        with pytest.raises(InvalidInput, match="metadata"):
            call()
    assert plain.get(id_).metadata == {}


def _cursor(*values: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


BAD_CALLS: dict[str, Callable[[Memory], Any]] = {
    "limit 0": lambda m: m.list(user="u", limit=0),
    "limit huge": lambda m: m.list(user="u", limit=10**30),
    "limit float": lambda m: m.list(user="u", limit=2.5),  # type: ignore[arg-type]
    "messages limit": lambda m: m.messages(user="u", session="s", limit=10**30),
    "cursor text": lambda m: m.list(user="u", cursor="x"),
    "cursor number": lambda m: m.list(user="u", cursor=7),  # type: ignore[arg-type]
    "cursor infinite": lambda m: m.list(user="u", cursor=_cursor("time", float("inf"), 1)),
    "cursor huge": lambda m: m.list(user="u", cursor=_cursor("time", 10**30, 1)),
    "cursor of another order": lambda m: m.list(user="u", cursor=_cursor("added", 1, 1)),
    "order": lambda m: m.list(user="u", order=["time"]),  # type: ignore[arg-type]
    "budget negative": lambda m: m.recall("where is it?", user="u", budget=-1),
    "budget text": lambda m: m.recall("where is it?", user="u", budget="9"),  # type: ignore[arg-type]
    "budget true": lambda m: m.recall("where is it?", user="u", budget=True),
    "window negative": lambda m: m.recall("where is it?", user="u", window=-1),
    "arms": lambda m: m.search("x", user="u", arms="psychic"),
    "within": lambda m: m.search("x", user="u", within="session"),
    "after": lambda m: m.search("x", user="u", after="soon"),
    "time out of range": lambda m: m.search("x", user="u", before="9999-12-31T23:59:59-23:59"),
    "title": lambda m: m.add(Document("x", title=5), user="u"),  # type: ignore[arg-type]
    "window huge": lambda m: m.recall("where is it?", user="u", window=10**30),
    "most huge": lambda m: m.recall("where is it?", user="u", most=10**5000),
    "pointer none": lambda m: m.get(None),  # type: ignore[arg-type]
    "pointer blank": lambda m: m.get(" "),
    "update nothing": lambda m: m.update("kettle", user="u"),
    "update blank": lambda m: m.update("kettle", "  ", user="u"),
    "mode": lambda m: m.add("x y", user="u", mode="merge"),  # type: ignore[arg-type]
    "replace without source": lambda m: m.add("x y", user="u", mode="replace"),
    "source blank": lambda m: m.add("x y", user="u", source_id=" "),
    "source surrogate": lambda m: m.add("x y", user="u", source_id="\ud83d"),
    "resolve": lambda m: m.resolve(None),  # type: ignore[arg-type]
    "feedback used": lambda m: m.feedback(m.recall("which kettle?", user="u").id, used=7),  # type: ignore[arg-type]
    "feedback used list": lambda m: m.feedback(m.recall("which kettle?", user="u").id, used=[["kettle"]]),  # type: ignore[list-item]
    "feedback answer": lambda m: m.feedback(m.recall("which kettle?", user="u").id, answer=7),  # type: ignore[arg-type]
    "feedback outcome": lambda m: m.feedback(m.recall("which kettle?", user="u").id, outcome=float("nan")),
    "import": lambda m: m.import_("abc"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", list(BAD_CALLS))
def test_bad_arguments_are_named(plain: Memory, name: str) -> None:
    """An argument of the wrong type or size is an InvalidInput with a message, and nothing changes."""
    plain.add("the red kettle", user="u")
    before = list(plain.export())
    with pytest.raises(InvalidInput) as caught:
        BAD_CALLS[name](plain)
    assert str(caught.value)
    assert list(plain.export()) == before


@pytest.mark.parametrize(
    "name", ["nobody", "[m:nobody]", "c" + "0" * 26, "\x00", "\ud83d", "kettle99999999999", "kettle²", "x" * 10_000]
)
def test_unknown_pointers(plain: Memory, name: str) -> None:
    """What nothing answers to is NotFound in every verb that takes a pointer, and left visible by `resolve`."""
    known = plain.add("the red kettle", user="u").pointer
    for call in (plain.get, plain.expand, plain.history, plain.delete, lambda p: plain.update(p, "new")):
        with pytest.raises(NotFound):
            call(name)
    resolved = plain.resolve(f"see [m:{known}] [m:nobody]", user="u")
    assert (list(resolved.cards), resolved.unknown) == ([known], ("nobody",))
    assert resolved.text == f"see [m:{known}] [m:nobody]"


def test_huge_numbers_are_fine_where_they_mean_all(plain: Memory) -> None:
    """k and budget without bound give what there is."""
    plain.add("the red kettle", user="u")
    assert len(plain.search("kettle", user="u", k=10**30)) == 1
    context = plain.recall("which kettle?", user="u", budget=10**30)
    assert context.tokens == count(context.text) > 0
