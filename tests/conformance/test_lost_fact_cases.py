"""Cases of the kind "lost facts": every word that was said is kept, found, or named as missing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from zeromem import Memory


def test_c017_concurrent_appends(mem: Memory) -> None:
    """Turns added from several threads are all in the session and all found by keyword."""
    mem.add("turn one: kiwi", user="u", session="s1")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda word: mem.add(f"turn: {word}", user="u", session="s1"), ["plum", "fig", "lime"]))
    said = sorted(event.text for event in mem.messages(user="u", session="s1"))
    assert said == ["turn one: kiwi", "turn: fig", "turn: lime", "turn: plum"]
    for word in ("kiwi", "plum", "fig", "lime"):
        assert word in mem.search(word, user="u", arms="keyword")[0].text


def test_c018_end_of_a_long_document(mem: Memory) -> None:
    """The last sentence of 170,000 characters is found, and the source is whole."""
    doc = ("Filler sentence about weather. " * 6000) + "The vault passphrase hint is 'amber otter'."
    mem.add(doc, user="u")
    hits = mem.search("vault passphrase hint", user="u", k=3)
    found = next(hit for hit in hits if "amber otter" in hit.text)
    assert len(mem.expand(found.id).text) == len(doc)


def test_c018_end_of_a_long_document_zh(plain: Memory) -> None:
    """中文长文的最后一句也在。"""
    doc = ("今天的天气没有什么可说的。" * 4000) + "保险柜的提示是“琥珀水獭”。"
    plain.add(doc, user="u")
    assert "琥珀水獭" in plain.search("保险柜的提示", user="u", k=3)[0].text


def test_c020_end_of_a_long_reply(mem: Memory) -> None:
    """The last line of an assistant's reply is found."""
    reply = "\n".join(f"step {i}: noop" for i in range(1, 12)) + "\nstep 12: rotate key K-93"
    mem.add([{"role": "user", "content": "how?"}, {"role": "assistant", "content": reply}], user="u")
    assert "K-93" in mem.search("rotate key", user="u")[0].text


def test_c021_replace_removes_what_is_gone(mem: Memory) -> None:
    """A source replaced by less text loses the facts of what is gone; replacing again changes nothing."""
    mem.add("A: pump is red.\n\nB: valve is blue.", user="u", source_id="d1")
    mem.add("A: pump is red.", user="u", source_id="d1", mode="replace")
    listed = mem.list(user="u")
    again = mem.add("A: pump is red.", user="u", source_id="d1", mode="replace")
    assert [item.status for item in again.items] == ["duplicate"]
    assert mem.list(user="u") == listed
    assert [card.text for card in listed] == ["A: pump is red."]
    assert ["red" in hit.text for hit in mem.search("pump", user="u")] == [True]
    assert mem.search("valve", user="u") == []


def test_c021_by_keyword(plain: Memory) -> None:
    """The same on the keyword arm alone."""
    plain.add("A: pump is red.\n\nB: valve is blue.", user="u", source_id="d1")
    plain.add("A: pump is red.", user="u", source_id="d1", mode="replace")
    assert plain.search("valve", user="u") == []
    assert [hit.text for hit in plain.search("pump", user="u")] == ["A: pump is red."]


def test_c021_replace_keeps_what_another_source_says(plain: Memory) -> None:
    """A card that another source says too stays when one of them is replaced."""
    plain.add("valve is blue", user="u", source_id="d1")
    plain.add("valve is blue", user="u", source_id="d2")
    plain.add("pump is red", user="u", source_id="d1", mode="replace")
    assert [hit.text for hit in plain.search("valve", user="u")] == ["valve is blue"]


def test_c022_no_facts_is_said(with_chat: Callable[..., Any]) -> None:
    """A model that extracts nothing is reported with a reason."""
    mem = with_chat('{"memory":[]}')
    mem.add("Stat rolls are 5d3+5 in this campaign.", user="gm")
    report = mem.maintain(user="gm")
    assert (report.facts, bool(report.reason)) == (0, True)
    assert "5d3+5" in mem.search("5d3+5", user="gm")[0].text


def test_c022_raw_text_is_findable(plain: Memory) -> None:
    """Without a model the raw text is found by its odd token."""
    plain.add("Stat rolls are 5d3+5 in this campaign.", user="gm")
    assert "5d3+5" in plain.search("5d3+5", user="gm")[0].text


@pytest.mark.xfail(strict=True, raises=ImportError, reason="waits for the gateway")
def test_c024_failed_background_write_is_reported(gateway: Any) -> None:
    """A write that dies behind the gateway shows in the answer and in the health endpoint."""
    gateway.fail_on("write")
    answer = gateway.chat([{"role": "user", "content": "my cat is Pixel"}], user="u")
    assert (answer.status_code, answer.headers["x-memory-status"]) == (200, "failed")
    assert gateway.get("/health").json()["failed_writes"] == 1


def test_c025_unparseable_output_keeps_the_message(with_chat: Callable[..., Any]) -> None:
    """Prose in place of JSON is a warning, and the message stays."""
    mem = with_chat("sorry, here you go: memory = strawberry")
    mem.add("我喜欢草莓。", user="u")
    assert mem.maintain(user="u").warnings
    assert len(mem.search("草莓", user="u")) == 1


def test_c026_answer_survives_near_duplicate_questions(mem: Memory) -> None:
    """六个几乎一样的问题挤不掉那一条答案。"""
    for i in range(6):
        mem.add([{"role": "user", "content": f"我的护照什么时候到期？({i})"}], user="u", session=f"s{i}")
    mem.add("护照到期日是 2029-11-03。", user="u", session="s9")
    hits = mem.search("护照什么时候到期", user="u", k=3)
    assert any("2029-11-03" in hit.text for hit in hits)
