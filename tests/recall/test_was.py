"""Questions for how it was: the value that was overtaken first, marked, then what holds, and little else."""

from __future__ import annotations

import pytest

from zeromem import Memory

EN = [
    ("2026-09-02", "I live in Bristol with my wife Joanna."),
    ("2026-09-03", "My dentist is Dr. Patel on Whiteladies Road."),
    ("2026-09-04", "I work as a nurse at Acme."),
    ("2026-10-26", "We moved! We now live in Bath, 14 Marlborough Lane."),
    ("2026-10-27", "My new dentist is Dr. Okafor, she is just round the corner."),
    ("2026-11-02", "The team meets every Tuesday at nine."),
    ("2026-11-03", "We will visit my parents in York at Christmas."),
    ("2026-11-04", "I sold the old bike for forty pounds."),
]
ZH = [
    ("2026-09-02", "我住在上海。"),
    ("2026-09-03", "我每天早上喝一杯美式咖啡。"),
    ("2026-09-04", "家里的书房门锁密码是2580。"),
    ("2026-10-26", "我搬到苏州了。"),
    ("2026-11-02", "弟弟的婚礼很热闹，来了两百多人。"),
    ("2026-11-03", "我决定报名在职研究生。"),
]


def shown(told: list[tuple[str, str]], question: str) -> list[str]:
    with Memory.open(":memory:", embedder="none") as memory:
        for day, text in told:
            memory.add(text, user="u", at=day)
        lines = memory.recall(question, user="u", at="2026-11-25").text.splitlines()
    return [line.split(": ", 1)[-1].strip() for line in lines if line.startswith(("[", "  （", "  ("))]


@pytest.mark.parametrize(
    ("told", "question", "old", "new"),
    [
        (EN, "Where did I live before?", EN[0][1], EN[3][1]),
        (EN, "Where did I live before Bath?", EN[0][1], EN[3][1]),
        (EN, "Which city did we move from?", EN[0][1], EN[3][1]),
        (EN, "What was my previous address?", EN[0][1], EN[3][1]),
        (EN, "Where did I live in September?", EN[0][1], EN[3][1]),
        (EN, "Who was my dentist in September?", EN[1][1], EN[4][1]),
        (ZH, "我以前住在哪里？", ZH[0][1], ZH[3][1]),
        (ZH, "我以前的地址是什么？", ZH[0][1], ZH[3][1]),
        (ZH, "九月的时候我住在哪里？", ZH[0][1], ZH[3][1]),
        (ZH, "我们是从哪里搬来的？", ZH[0][1], ZH[3][1]),
    ],
)  # fmt: skip
def test_what_was_is_shown_with_what_is(told, question, old, new):
    lines = shown(told, question)
    assert old in lines and new in lines and len([line for line in lines if not line.startswith(("（", "("))]) <= 4


@pytest.mark.parametrize(("told", "question"), [(EN, "Where do I live?"), (ZH, "我现在住在哪里？")])
def test_what_is_stands_alone(told, question):
    assert shown(told, question) == [told[3][1]]


def test_a_time_after_the_change_asks_for_what_holds():
    assert EN[0][1] not in shown(EN, "Where did we stay in November?")


def test_a_slip_of_the_pen_was_never_so():
    told = [("2026-09-02", "My sister's baby is called Carla."), ("2026-09-02", "typo, her name is Karla"), *EN]
    with Memory.open(":memory:", embedder="none") as memory:
        for day, text in told:
            memory.add(text, user="u", at=day, session="s")
        hits = memory.search("What was my sister's baby called before?", user="u")
        assert "Karla" in hits[0].card.text


def test_what_was_leads_a_search():
    with Memory.open(":memory:", embedder="none") as memory:
        for day, text in EN:
            memory.add(text, user="u", at=day)
        hits = memory.search("Where did I live before?", user="u", at="2026-11-25")
        assert [hit.card.text for hit in hits[:2]] == [EN[0][1], EN[3][1]]
