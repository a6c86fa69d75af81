"""Summaries of sessions: what they hold, how long they are, and that they go and come with what they are made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zeromem import InvalidInput, Memory, Settings
from zeromem.refine.coverage import Saying
from zeromem.refine.summary import summarise
from zeromem.text.words import terms

TALK = [
    ("user", "Hi there!"),
    ("user", "We want to move the launch of Kestrel to 14 May, because the audit found 3 open issues in the billing module."),
    ("assistant", "Understood. I can draft the note for the team. It is good to tell people early, and to be open about the reasons."),
    ("user", "Ana owns the billing module, Ben does the audit answers until 2 May."),
    ("assistant", "Noted. Launches are exciting, but they also mean a lot of stress, so please take care of yourselves in the next weeks."),
    ("user", "Thanks."),
    ("user", "One open question: who pays for the second audit, 4,200 euros? Kestrel has no budget line for it."),
    ("assistant", "That depends on your contract. Many teams book such costs under quality assurance, others split them between departments."),
]  # fmt: skip
MEETING = "2026-05-01T10:00:00+00:00"
LATER = "2026-05-02T10:00:00+00:00"


def filled(*, settings: Settings | None = None) -> Memory:
    memory = Memory.open(":memory:", embedder="none", background=False, settings=settings)
    for role, text in TALK:
        memory.add({"role": role, "content": text}, user="ana", session="kestrel", at=MEETING)
    return memory


def summaries(memory: Memory, **ids: str) -> list[str]:
    return [card.text for card in memory.list(user="ana", filters={"kind": "summary"}, **ids)]


def test_a_summary_says_most_in_a_fifth_of_the_characters() -> None:
    """Names, numbers and dates of people's sentences come in; courtesies and an assistant's general talk stay out."""
    made = summarise([Saying(role, role == "assistant", text) for role, text in TALK], share=0.5)
    assert made is not None
    for word in ("14 May", "3 open issues", "Ana owns", "4,200 euros"):
        assert word in made.text
    for word in ("Thanks", "exciting", "Hi there"):
        assert word not in made.text
    fifth = summarise([Saying(role, role == "assistant", text) for role, text in TALK])
    assert fifth is not None and len(fifth.text) <= 0.25 * sum(len(text) for _, text in TALK)


def test_a_summary_says_nothing_that_was_not_said() -> None:
    """Every word stands in one of the sayings that the summary names, or is the name of who said it."""
    said = [Saying(role, role == "assistant", text) for role, text in TALK]
    made = summarise(said, share=0.5)
    assert made is not None
    sources = {word for n in made.made_of for word in terms(said[n].text)} | set(terms("user assistant"))
    assert set(terms(made.text)) <= sources


def test_a_chinese_summary_is_made_of_whole_sentences() -> None:
    """Chinese sentences are kept as they were said, without spaces put in."""
    talk = [
        "你好",
        "我们把发布会改到6月8日，因为场地只剩那一天。",
        "好的，明白了。",
        "预算上限是12450欧元，不能超。",
        "嗯嗯",
        "张敏负责场地，李雷负责邀请函。",
    ]
    made = summarise([Saying("user", False, text) for text in talk], share=1.5)
    assert made is not None
    for sentence in (talk[1], talk[3], talk[5]):
        assert sentence.rstrip("。") in made.text


def test_nothing_said_has_no_summary() -> None:
    assert summarise([]) is None
    assert summarise([Saying("user", False, "ok")]) is None


def test_maintain_sums_up_sessions_that_rest_once() -> None:
    """A session of six memories that was quiet for an hour gets one summary; the next run makes none; a session that is going on gets none."""
    with filled() as memory:
        assert dict(memory.maintain(user="ana", at=MEETING).summaries) == {}
        assert dict(memory.maintain(user="ana", at=LATER).summaries) == {"made": 1}
        assert dict(memory.maintain(user="ana", at=LATER).summaries) == {}
        (card,) = memory.list(user="ana", filters={"kind": "summary"})
        assert (card.session, card.role, card.at) == ("kestrel", "memory", MEETING)
        said = [event.text for event in memory.expand(card.pointer).events]
        assert said and set(said) <= {text for _, text in TALK}
        assert memory.facts(user="ana", subject="summary") == []
        assert memory.verify().ok


def test_a_session_that_goes_on_is_summed_up_anew() -> None:
    """The pointer stays, the text is of all that was said."""
    with filled() as memory:
        memory.maintain(user="ana", at=LATER)
        (before,) = memory.list(user="ana", filters={"kind": "summary"})
        memory.add(
            "The second audit of Kestrel was approved: 4,200 euros from the reserve of Q3.",
            user="ana",
            session="kestrel",
            at=LATER,
        )
        assert dict(memory.maintain(user="ana", at="2026-05-03").summaries) == {"renewed": 1}
        (after,) = memory.list(user="ana", filters={"kind": "summary"})
        assert (after.pointer, after.version) == (before.pointer, 2)
        assert memory.verify().ok


@pytest.mark.parametrize("end", ["delete", "update", "forget"])
def test_a_summary_goes_with_what_it_was_made_of(end: str) -> None:
    """What was deleted, changed or forgotten stands in no summary, at once and after the next upkeep; undo brings both back."""
    with filled() as memory:
        memory.maintain(user="ana", at=LATER)
        (summary,) = memory.list(user="ana", filters={"kind": "summary"})
        said = {event.text for event in memory.expand(summary.pointer).events}
        card = next(card for card in memory.list(user="ana") if card.kind == "message" and "14 May" in card.text)
        assert card.text in said and "14 May" in summary.text
        if end == "delete":
            memory.delete(card.pointer, user="ana")
        elif end == "update":
            memory.update(card.pointer, "We keep the launch as it was.", user="ana")
        else:
            assert memory.forget(card.pointer, user="ana").done
        assert summaries(memory) == []
        memory.maintain(user="ana", at=LATER)
        assert "14 May" not in "".join(summaries(memory))
        if end == "delete":
            memory.undo(user="ana")
            assert card.text in [one.text for one in memory.list(user="ana")]
        assert memory.verify().ok


def test_a_summary_that_was_deleted_or_written_by_hand_is_left_alone() -> None:
    """What a person decided of a summary, upkeep does not undo."""
    with filled() as memory:
        memory.maintain(user="ana", at=LATER)
        (card,) = memory.list(user="ana", filters={"kind": "summary"})
        memory.update(card.pointer, "Kestrel moves to 14 May.", user="ana")
        memory.add("And Cleo writes the press text for Kestrel.", user="ana", session="kestrel", at=LATER)
        memory.maintain(user="ana", at="2026-05-04")
        assert summaries(memory) == ["Kestrel moves to 14 May."]
        memory.delete(card.pointer, user="ana")
        memory.maintain(user="ana", at="2026-05-05")
        assert summaries(memory) == []


def test_summaries_lead_where_a_question_asks_for_one_and_nowhere_else() -> None:
    """What something comes to is answered by a summary, single things and lists by what was said; filters find them always."""
    with filled() as memory:
        memory.maintain(user="ana", at=LATER)
        kinds = lambda question: {hit.card.kind for hit in memory.search(question, user="ana", k=20)}  # noqa: E731
        assert "summary" not in kinds("Who owns the billing module of Kestrel?")
        assert "summary" not in kinds("List everything about Kestrel")
        for question in ("Summarise the Kestrel project", "What did we talk about on May 1?", "总结一下 Kestrel"):
            assert memory.search(question, user="ana", k=20)[0].card.kind == "summary"
        assert {hit.card.kind for hit in memory.search("Kestrel", user="ana", filters={"kind": "summary"})} == {
            "summary"
        }
        full = memory.recall("When is the launch of Kestrel?", user="ana").full_tokens
        memory.delete(memory.list(user="ana", filters={"kind": "summary"})[0].pointer, user="ana")
        assert memory.recall("When is the launch of Kestrel?", user="ana").full_tokens == full


def test_closing_a_session_sums_it_up_at_once() -> None:
    """Without waiting for the hour; with `summaries` off nothing is made."""
    with filled() as memory:
        memory.close_session(user="ana", session="kestrel")
        assert len(summaries(memory)) == 1
    with filled(settings=Settings(summaries=False)) as memory:
        memory.close_session(user="ana", session="kestrel")
        memory.maintain(user="ana", at=LATER)
        assert summaries(memory) == []


def test_a_summary_is_of_its_own_scope() -> None:
    """Sessions of one name of two users have a summary each, of their own words."""
    with filled() as memory:
        for _, text in TALK:
            memory.add(text.replace("Kestrel", "Heron"), user="ben", session="kestrel", at=MEETING)
        assert dict(memory.maintain(at=LATER).summaries) == {"made": 2}
        assert "Heron" not in summaries(memory)[0]
        with pytest.raises(InvalidInput):
            memory.close_session(user="ben")


def test_an_export_carries_summaries(tmp_path: Path) -> None:
    """They come back with their sources, and are not made twice."""
    with filled() as memory:
        memory.maintain(user="ana", at=LATER)
        memory.export_file(tmp_path / "out.jsonl", user="ana")
        before = summaries(memory)
    assert any(
        json.loads(line).get("kind") == "summary" for line in (tmp_path / "out.jsonl").read_text().splitlines() if line
    )
    with Memory.open(":memory:", embedder="none", background=False) as other:
        with (tmp_path / "out.jsonl").open(encoding="utf-8") as file:
            other.import_(map(json.loads, file))
        assert summaries(other) == before
        assert other.verify().ok
        assert dict(other.maintain(user="ana", at=LATER).summaries) in ({}, {"renewed": 1})
