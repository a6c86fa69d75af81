"""What becomes a card, and why the rest does not."""

from __future__ import annotations

import pytest

from zeromem import Document, Memory
from zeromem.encode.cards import Cut, clean, pieces, printable
from zeromem.encode.digests import digest
from zeromem.encode.messages import parse


def test_noise_and_prompts_are_events_without_cards() -> None:
    """System prompts and acknowledgements are kept as events; empty text and injected blocks are not even that."""
    items = clean(
        parse(
            [
                {"role": "system", "content": "You are kind."},
                {"role": "user", "content": "好的"},
                {"role": "user", "content": "   "},
                {"role": "user", "content": '<memory note="x">\n[m:a] b\n</memory>'},
                {"role": "user", "content": "My cat is Pixel."},
            ]
        )
    )
    found = [(piece.event, len(piece.drafts), bool(piece.ignored)) for piece in pieces(items, Cut())]
    assert found == [(True, 0, True), (True, 0, True), (False, 0, True), (False, 0, True), (True, 1, False)]


def test_a_tool_call_and_its_result_make_one_card() -> None:
    """The card holds call and result and leads back to both."""
    items = parse(
        [
            {
                "role": "assistant",
                "tool_calls": [{"id": "c", "function": {"name": "book", "arguments": '{"seat": "14A"}'}}],
            },
            {"role": "tool", "tool_call_id": "c", "content": '{"code": "QX7"}'},
        ]
    )
    (piece,) = pieces(items, Cut())
    (draft,) = piece.drafts
    assert draft.text == 'book(seat: "14A") → {"code": "QX7"}'
    assert (draft.kind, draft.speaker, draft.spans) == ("tool", "book", ((0, 0, 17), (1, 0, 15)))


def _call(id_: str, name: str = "look") -> dict[str, object]:
    return {"role": "assistant", "tool_calls": [{"id": id_, "function": {"name": name, "arguments": "{}"}}]}


def _result(id_: str, text: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": id_, "content": text}


@pytest.mark.parametrize(
    ("messages", "texts"),
    [
        ([_call("0", "a"), _result("0", "one"), _call("0", "b"), _result("0", "two")], ["a() → one", "b() → two"]),
        ([_call("0", "a"), _call("0", "b"), _result("0", "one"), _result("0", "two")], ["a() → one", "b() → two"]),
        ([_call("0", "a"), {"role": "user", "content": "wait for the ferry"}, _call("0", "b"), _result("0", "two")],
         ["a()", "wait for the ferry", "b() → two"]),
        ([_result("0", "early"), _call("0", "a"), _result("0", "one"), _result("0", "again")], ["early", "a() → one", "again"]),
        ([_call("0", "a"), _call("1", "b"), _result("1", "two"), _result("0", "one")], ["a() → one", "b() → two"]),
    ],
)  # fmt: skip
def test_ids_that_come_again(messages: list[dict[str, object]], texts: list[str]) -> None:
    """Each call has the next unclaimed result with its id, each item stands in one piece, a result without a call stays its own."""
    items = parse(messages)
    found = pieces(items, Cut())
    assert [draft.text for piece in found for draft in piece.drafts] == texts
    assert sorted(i for piece in found for i in piece.items) == list(range(len(items)))


def test_a_long_call_is_not_repeated_with_every_part_of_its_result() -> None:
    """Further parts name the call in short; together the cards hold little more than call and result once each."""
    arguments, answer = "pump and valve " * 6_000, "reading of the meter is fine. " * 40_000
    items = parse([
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "store", "arguments": {"text": arguments}}}]},
        _result("c", answer),
    ])  # fmt: skip
    (piece,) = pieces(items, Cut())
    assert sum(len(draft.text) for draft in piece.drafts) < 1.5 * (len(arguments) + len(answer))
    assert all("store(" in draft.text for draft in piece.drafts)
    assert max(end for draft in piece.drafts for index, _, end in draft.spans if index == 0) == len(items[0].text)


def test_a_short_call_stands_beside_every_part() -> None:
    """A long result of a short call: every part begins with the call."""
    items = parse([_call("c"), _result("c", "The reading is fine today. " * 400)])
    (piece,) = pieces(items, Cut())
    assert len(piece.drafts) > 3
    assert all(draft.text.startswith("look() → ") for draft in piece.drafts)


def test_a_markdown_document_is_cut_at_its_headings() -> None:
    """One card a section, under the path of its headings; its spans lead to the section's bytes."""
    text = "Intro.\n\n# Setup\n\n## Database\nUse port 5432.\n\n```\n# no heading\n```\n\nUsage\n-----\nRun it.\n"
    (piece,) = pieces(parse(Document(text, "guide.md")), Cut())
    assert [draft.text for draft in piece.drafts] == [
        "Intro.",
        "Setup > Database\nUse port 5432.\n\n```\n# no heading\n```",
        "Setup > Usage\nRun it.",
    ]
    bytes_ = [text[start:end] for draft in piece.drafts for _, start, end in draft.spans]
    assert bytes_[1].startswith("## Database\n") and bytes_[2] == "Usage\n-----\nRun it."


def test_comments_in_a_script_are_no_headings() -> None:
    """A file of a language whose comments begin with # is cut as plain text, and so is anything that is no document."""
    text = "import os\n\n# Read it\nprint(os)\n\n# Write it\nprint(1)\n"
    for content in (Document(text, "run.py"), text):
        (piece,) = pieces(parse(content), Cut())
        assert [draft.text for draft in piece.drafts] == [text.strip()]


def test_long_texts_are_cut_without_losing_a_word() -> None:
    """Every word of a long document stands in some card, in spans that match the text."""
    text = " ".join(f"Sentence number {i} is here." for i in range(600)) + " The end is amber."
    (piece,) = pieces(parse(Document(text)), Cut())
    assert len(piece.drafts) > 3
    assert all(draft.text == text[draft.spans[0][1] : draft.spans[0][2]] for draft in piece.drafts)
    assert set(text.split()) == {word for draft in piece.drafts for word in draft.text.split()}


def test_digest_folds_width_and_space_but_not_speakers() -> None:
    """Full-width digits and outer spaces do not matter; who said it does."""
    same = digest("message", "user", None, "快递柜密码是4471。")
    assert digest("message", "user", None, " 快递柜密码是４４７１。 ") == same
    assert digest("message", "assistant", None, "快递柜密码是4471。") != same
    assert digest("message", "user", "Ana", "快递柜密码是4471。") != same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2⁵ = 32", "25 = 32", False),
        ("H₂O is water", "H2O is water", False),
        ("½ cup", "1⁄2 cup", False),
        ("2⁵ = 32", " 2⁵  = 32", True),
        ("ＡＢ　１２", "AB 12", True),
        ("ﬁne", "fine", True),
        ("if a:\n    b()\nc()", "if a:\n    b()\n    c()", False),
        ("```\nif a:\n b\n```", "```\nif a:\nb\n```", False),
        ("```\nx  = 1\n```", "```\nx = 1\n\n```", True),
        ("　　第一段。\n　　第二段。", "第一段。\n第二段。", True),
        ("one\ntwo", "one two", True),
        ("  one two", "one two", True),
    ],
)
def test_what_the_digest_folds(one: str, other: str, same: bool) -> None:
    """Width, ligatures and spaces fold; raised and lowered digits, fractions and the indentation of code do not."""
    key = digest("message", "user", None, one)
    assert (key == digest("message", "user", None, other)) is same


CALLS = [
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t", "name": "find", "input": {"what": "ferry times"}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "the ferry leaves at nine"}]},
]
OURS = '<memory note="x">\n[m:tea] Ana: tea\n</memory>\n'


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(
    "said",
    [
        [{"role": "user", "content": "The ferry leaves at nine. " + "The harbour was calm and grey that day. " * 200}],
        CALLS,
        [{"role": "user", "content": OURS + "the ferry leaves at nine"}],
        [{"role": "assistant", "refusal": "I cannot book the ferry at nine"}],
    ],
    ids=["long", "tool", "block", "refusal"],
)
def test_what_the_caller_holds_is_left_out(plain: Memory, said: list[dict[str, object]], apart: bool) -> None:
    """Messages passed to recall do not come back, however they were added: long ones, tool calls, ones with a memory block."""
    for content in said if apart else [said]:
        plain.add(content, user="u")
    question = {"role": "user", "content": "When does the ferry leave, at nine?"}
    assert plain.search("ferry at nine", user="u")
    assert plain.recall([*said, question], user="u").cards == ()
    assert plain.recall([question], user="u").cards != ()


def test_the_gate_does_not_read_injected_memory(plain: Memory) -> None:
    """A memory block in the last message is no part of the question: thanks stay thanks."""
    plain.add("The ferry leaves at nine.", user="u")
    block = plain.recall("When does the ferry leave?", user="u").text
    for query in (
        block + "Thanks!",
        [{"role": "user", "content": block + "Thanks!"}],
        block,
        [{"role": "user", "content": block}],
    ):
        assert not plain.recall(query, user="u")


def test_card_text_always_encodes() -> None:
    """A lone surrogate becomes U+FFFD; real emoji stay."""
    assert printable("ok \ud83d 😀") == "ok \ufffd 😀"
