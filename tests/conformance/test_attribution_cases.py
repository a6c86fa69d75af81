"""Cases of the kind "attribution / invented memories": what was not said by the user is never the user's fact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from zeromem import Memory


def test_c034_assistant_suggestions_are_not_user_facts(mem: Memory) -> None:
    """What the assistant proposes is stored as the assistant's, and a look at the user's words does not show it."""
    mem.add(
        [
            {"role": "user", "content": "Explain topological sort."},
            {"role": "assistant", "content": "I would solve it with Kahn's algorithm and a queue."},
        ],
        user="u",
    )
    assert [card.role for card in mem.list(user="u") if "Kahn" in card.text] == ["assistant"]
    mine = mem.search("what has the user implemented", user="u", filters={"role": "user"})
    assert not [hit for hit in mine if "Kahn" in hit.text]


def test_c035_assistant_suggestions_zh(mem: Memory) -> None:
    """助手的建议只记在助手名下。"""
    mem.add(
        [{"role": "user", "content": "周末去哪玩？"}, {"role": "assistant", "content": "建议你去爬黄山。"}], user="u"
    )
    assert [card.role for card in mem.list(user="u") if "黄山" in card.text] == ["assistant"]


EMPTY: list[Any] = [[], [{"role": "user", "content": ""}], [{"role": "user", "content": "   "}]]


@pytest.mark.parametrize("content", EMPTY)
def test_c037_empty_messages_store_nothing(mem: Memory, content: Any) -> None:
    """Nothing said is nothing stored."""
    mem.add(content, user="u", session="r1")
    assert (mem.list(user="u"), mem.messages(user="u", session="r1")) == ([], [])


@pytest.mark.parametrize("content", EMPTY)
def test_c037_empty_messages_call_no_model(with_chat: Callable[..., Any], content: Any) -> None:
    """And no model is asked about it."""
    mem = with_chat('{"memory":[{"text":"User is a pilot"}]}')
    mem.add(content, user="u", session="r1")
    mem.maintain(user="u")
    assert (mem.chat.calls, mem.list(user="u")) == (0, [])


def test_c038_ungrounded_candidate_is_refused(with_chat: Callable[..., Any]) -> None:
    """A candidate without a word of the source is quarantined as ungrounded."""
    mem = with_chat('{"memory":[{"text":"Emma wed Sofia on a rooftop on 2024-06-09"}]}')
    mem.add("we talked about the harbour lights", user="u")
    report = mem.maintain(user="u")
    assert not [card for card in mem.list(user="u") if "Emma" in card.text]
    assert [item.status for item in report.items if "ungrounded" in item.reason] == ["quarantined"]


def test_c039_recalled_block_is_not_stored_again(mem: Memory) -> None:
    """Five rounds of feeding the memory block back leave one card about it."""
    mem.add("User prefers Vim.", user="u")
    for _ in range(5):
        block = mem.recall("which editor does the user prefer?", user="u").text
        assert "Vim" in block
        mem.add([{"role": "system", "content": block}, {"role": "user", "content": "thanks"}], user="u")
    assert [card.text for card in mem.list(user="u") if "Vim" in card.text] == ["User prefers Vim."]


def test_c039_block_inside_a_user_turn(mem: Memory) -> None:
    """A block that a client glued before the user's words is cut out; the words stay."""
    mem.add("User prefers Vim.", user="u")
    block = mem.recall("which editor does the user prefer?", user="u").text
    mem.add([{"role": "user", "content": block + "\nMy new keyboard is a Planck."}], user="u")
    assert [card.text.strip() for card in mem.list(user="u")] == ["User prefers Vim.", "My new keyboard is a Planck."]


@pytest.mark.parametrize(
    "text",
    ["ok", "👍", "HEARTBEAT_OK", "好的", "继续", "嗯", "Review the conversation above and update your notes.",
     "thanks!", "Got it.", "收到", "谢谢", "好嘞"],
)  # fmt: skip
def test_c041_acknowledgements_are_not_memory(mem: Memory, text: str) -> None:
    """An acknowledgement or heartbeat makes no card; it stays as an event, with the reason in the receipt."""
    receipt = mem.add([{"role": "user", "content": text}], user="u")
    assert mem.list(user="u") == []
    assert [(item.status, bool(item.reason)) for item in receipt.items] == [("ignored", True)]
    assert [event.text for event in mem.messages(user="u")] == [text]


@pytest.mark.parametrize("text", ["ok, the code is 4471", "好的酒店是海景那家", "thanks to Ana we have a venue"])
def test_c041_words_with_content_are_memory(plain: Memory, text: str) -> None:
    """A sentence that only begins like an acknowledgement is kept."""
    plain.add([{"role": "user", "content": text}], user="u")
    assert [card.text for card in plain.list(user="u")] == [text]


def test_c042_facts_go_to_the_speaker(plain: Memory) -> None:
    """In a room with several people each card bears its speaker's name."""
    room = [
        {"role": "user", "name": "Ola", "content": "I am allergic to pollen."},
        {"role": "user", "name": "Ben", "content": "Morning! The door code is 12."},
    ]
    plain.add(room, agent="room1")
    assert {card.text: card.speaker for card in plain.list(agent="room1")} == {
        "I am allergic to pollen.": "Ola", "Morning! The door code is 12.": "Ben",
    }  # fmt: skip
    assert not [h for h in plain.search("pollen", agent="room1", filters={"speaker": "Ben"}) if "pollen" in h.text]
