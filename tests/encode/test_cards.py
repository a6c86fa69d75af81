"""What becomes a card, and why the rest does not."""

from __future__ import annotations

from zeromem import Document
from zeromem.encode.cards import Cut, clean, digest, pieces, printable
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


def test_card_text_always_encodes() -> None:
    """A lone surrogate becomes U+FFFD; real emoji stay."""
    assert printable("ok \ud83d 😀") == "ok \ufffd 😀"
