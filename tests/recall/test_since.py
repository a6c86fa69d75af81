"""What stands beside the fact that answers: plans that will change it, what was said since, and what it was where the question names that."""

from __future__ import annotations

import pytest

from zeromem import Memory


def asked(*told: tuple[str, str], question: str, at: str = "2026-07-05") -> list[str]:
    """The lines that a recall shows."""
    with Memory.open(":memory:", embedder="none") as memory:
        for day, text in told:
            memory.add(text, user="u", at=day)
        for n in range(12):
            memory.add(f"The shelf {n} holds jars of jam.", user="u", at=f"2026-01-{n + 1:02d}")
        lines = memory.recall(question, user="u", at=at).text.splitlines()
    return [line.split(": ", 1)[-1].strip() for line in lines if not line.startswith(("#", "<"))]


LEEDS, BATH = ("2026-01-05", "I live in Leeds."), ("2026-03-05", "I move to Bath in May.")


@pytest.mark.parametrize("at", ["2026-04-05", "2026-07-05"])
def test_a_plan_stands_beside_what_it_will_change(at: str) -> None:
    """Before its day and after it: nobody said yet that it came true."""
    assert asked(LEEDS, BATH, question="Where do I live?", at=at) == [LEEDS[1], BATH[1]]


def test_a_plan_that_came_to_nothing_goes() -> None:
    """What is said after its day settles it, either way."""
    still = ("2026-06-05", "I still live in Leeds.")
    assert BATH[1] not in asked(LEEDS, BATH, still, question="Where do I live?")
    there = ("2026-06-05", "I live in Bath now.")
    assert BATH[1] not in asked(LEEDS, BATH, there, question="Where do I live?")[:1]
    assert there[1] in asked(LEEDS, BATH, there, question="Where do I live?")


@pytest.mark.parametrize(
    ("told", "since", "question"),
    [
        ("My boss is Greg.", "My boss is Anna from May on.", "Who is my boss?"),
        ("水管工周五四点来。", "不好意思，水管工是周四四点，不是周五。", "水管工什么时候来？"),
    ],
)  # fmt: skip
def test_what_was_said_since_is_shown(told: str, since: str, question: str) -> None:
    """A correction that no rule reads stands behind what it corrects."""
    assert asked(("2026-03-01", told), ("2026-03-02", since), question=question) == [told, since]


@pytest.mark.parametrize(
    ("told", "since", "question"),
    [
        ("The plumber comes on Friday at 4.", "Sorry, plumber is Thursday at 4, not Friday.", "When does the plumber come?"),
        ("The dentist appointment is on March 12.", "I mixed that up: the dentist is on March 5.", "When is my dentist appointment?"),
    ],
)  # fmt: skip
def test_a_correction_that_is_read_ends_what_it_corrects(told: str, since: str, question: str) -> None:
    assert asked(("2026-03-01", told), ("2026-03-02", since), question=question) == [since]


def test_small_talk_since_is_not() -> None:
    """Another matter, a question, an answer of the assistant."""
    later = (("2026-03-05", "The shelves are blue."), ("2026-03-06", "Who was my boss again?"))
    assert asked(("2026-03-01", "My boss is Greg."), *later, question="Who is my boss?") == ["My boss is Greg."]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("I live in Leeds.", "I moved to Bath.", "Do I still live in Leeds?"),
        ("我住在上海。", "我搬到苏州了。", "我还住在上海吗？"),
    ],
)
def test_what_the_question_names_is_shown_as_past(old: str, new: str, question: str) -> None:
    """Asked about by name, the old value is shown, marked; asked for the value, only the new one."""
    told = (("2026-01-05", old), ("2026-03-05", new))
    mark = "(no longer so)" if old.isascii() else "（现已不是这样）"
    assert asked(*told, question=question) == [old, mark, new]
    where = "Where do I live?" if old.isascii() else "我住在哪里？"
    assert asked(*told, question=where) == [new]


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("The rent goes up to 820 euros in May.", "2026-05-01"),
        ("In May I become team lead.", "2026-05-01"),
        ("The rent went up to 820 euros in January.", "2026-01-01"),
    ],
)
def test_a_coming_month_makes_a_plan(text: str, when: str) -> None:
    """Told in the present, a month without a year is the next one, and until then nothing has changed."""
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add(text, user="u", at="2026-03-20")
        (fact,) = memory.facts(user="u", include_superseded=True)
        assert fact.valid_from is not None and fact.valid_from[:10] == when
        assert fact.modality == ("planned" if when > "2026-03-20" else "asserted")


def test_a_bare_question_shows_the_fact_and_little_else() -> None:
    """Where the value of a slot is all that is asked for, the fact that states it needs no company; with a topic of its own it does."""
    others = [(f"2026-02-{n + 1:02d}", f"I live through busy week {n} in this flat.") for n in range(20)]
    shown = asked(("2026-03-01", "I live in Leeds."), *others, question="Where do I live now?")
    assert "I live in Leeds." in shown
    assert len(shown) <= 2
