"""What holds for a part of the year holds then, and its value is told without the time; it ends nothing that holds otherwise."""

from __future__ import annotations

import pytest

from zeromem import Memory


@pytest.mark.parametrize(
    ("text", "slot", "value", "begins", "ends"),
    [
        ("I live in Bath from April to September.", "home", "Bath", "2026-04-01", "2026-10-01"),
        ("I live in Bath from the start of April to the end of September.", "home", "Bath", None, None),
        ("I work at Kroll until June.", "workplace", "Kroll", "2026-03-01", "2026-06-01"),
        ("I'm living in Rome until the end of August.", "home", "Rome", "2026-03-01", "2026-09-01"),
        ("我6月到8月住在成都。", "home", "成都", "2026-06-01", "2026-09-01"),
        ("我四月到九月住在厦门。", "home", "厦门", "2026-04-01", "2026-10-01"),
    ],
)
def test_a_stretch_bounds_a_fact(text: str, slot: str, value: str, begins: str | None, ends: str | None) -> None:
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("I live in Leeds. I work at Shell.", user="u", at="2026-02-01")
        memory.add(text, user="u", at="2026-03-01")
        facts = memory.facts("user", slot, user="u", as_of="2026-03-02", include_superseded=True)
        (told,) = (fact for fact in facts if fact.value not in ("Leeds", "Shell"))
        others = [fact.standing for fact in facts if fact is not told]
    assert (told.value, told.modality, others) == (value, "temporary", ["current"])
    if begins:
        assert ((told.valid_from or "")[:10], (told.valid_to or "")[:10]) == (begins, ends)


def test_it_holds_within_its_stretch_only() -> None:
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("I live in Bath from April to September.", user="u", at="2026-03-01")
        days = ("2026-03-15", "2026-04-15", "2026-09-15", "2026-10-15")
        held = [[fact.value for fact in memory.facts("user", "home", user="u", as_of=day)] for day in days]
    assert held == [[], ["Bath"], ["Bath"], []]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("In winter I live in Malaga.", "Malaga"),
        ("We live in Malaga during the winter.", "Malaga"),
        ("冬天我住在三亚。", "三亚"),
    ],
)
def test_a_home_of_a_season_is_not_the_home(text: str, value: str) -> None:
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("I live in Leeds.", user="u", at="2026-02-01")
        memory.add(text, user="u", at="2026-03-01")
        told = memory.facts("user", "home", user="u", include_superseded=True)
    assert [(fact.value, fact.standing) for fact in told] == [("Leeds", "current"), (value, "conditional")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I'm staying in Porto from May to July.", "staying in Porto"),
        ("We're camping in the Dolomites from the 3rd to the 10th of August.", "camping in the Dolomites"),
        ("8月3号到10号我们去稻城露营。", "去稻城露营"),
    ],
)
def test_a_plan_is_told_without_its_stretch(text: str, value: str) -> None:
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add(text, user="u", at="2026-03-01")
        assert [fact.value for fact in memory.facts("user", "plan", user="u", as_of="2026-03-02")] == [value]
