"""Of a role there is one at a time, and only words that tell of a change end it: dentists, landlords, banks, plans, cars. English and Chinese."""

from __future__ import annotations

import pytest

from zeromem import Memory


def values(*messages: str) -> list[str]:
    """What is affirmed and holds of the user after these messages, a week apart."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        for week, message in enumerate(messages):
            memory.add(message, user="u", at=f"2026-03-{1 + 7 * week:02}")
        facts = memory.facts("user", user="u", as_of="2026-03-31")
    return [fact.value for fact in facts if fact.polarity == "+" and fact.standing == "current"]


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("My dentist is Dr. Lee.", "I have a new dentist, Dr. Wu.", ["Dr. Wu"]),
        ("My dentist is Dr. Lee.", "My new dentist is Dr. Wu.", ["Dr. Wu"]),
        ("My dentist is Dr. Lee.", "I changed dentists, now it's Dr. Wu.", ["Dr. Wu"]),
        ("My dentist is Dr. Lee.", "I switched to Dr. Wu.", ["Dr. Wu"]),
        ("My landlord is Mr. Smith.", "Our new landlord is Ms. Park.", ["Ms. Park"]),
        ("Our maths teacher is Mr. Kern.", "We have a new maths teacher, Ms. Ray.", ["Ms. Ray"]),
        ("My boss is Ana.", "I have a new boss, Ben.", ["Ben"]),
        ("My bank is Barclays.", "My new bank is Monzo.", ["Monzo"]),
        ("I'm on the Basic plan.", "I switched to the Pro plan.", ["Pro plan"]),
        ("My car is a Golf.", "My new car is a Yaris.", ["Yaris"]),
        ("我的牙医是李医生。", "我的新牙医是吴医生。", ["吴医生"]),
        ("我的牙医是李医生。", "我换了牙医，现在是吴医生。", ["吴医生"]),
        ("我房东姓王。", "换房东了，现在是张女士。", ["张女士"]),
        ("我们班主任是李老师。", "换班主任了，现在是赵老师。", ["赵老师"]),
        ("我用招商银行。", "我换成工商银行了。", ["工商银行"]),
    ],
)  # fmt: skip
def test_a_change_ends_the_one_before(first: str, second: str, wanted: list[str]) -> None:
    assert values(first, second) == wanted


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("My dentist is Dr. Lee.", "My dentist is Dr. Wu."),
        ("My dentist is Dr. Lee.", "My new landlord is Mr. Park."),
        ("My doctor is Dr. Lee.", "My new neighbour is Dr. Wu."),
        ("My neighbour is Tom.", "My new neighbour is Ana."),
        ("Our maths teacher is Mr. Kern.", "We have a new piano teacher, Ms. Ray."),
        ("My bank is Barclays.", "I switched to the Pro plan."),
        ("My bank is Barclays.", "I use Monzo for banking."),
        ("我的牙医是李医生。", "我的新房东是吴先生。"),
        ("我们数学老师是李老师。", "换了英语老师，姓赵。"),
    ],
)
def test_another_role_or_no_change_ends_nothing(first: str, second: str) -> None:
    told = values(first, second)
    assert len(told) == 2 and told[0] == values(first)[0]


def test_of_two_doctors_neither_is_taken_to_be_meant() -> None:
    """ "Switched to Dr. Wu" ends a doctor only where one is known."""
    assert values("My dentist is Dr. Lee. My vet is Dr. Ray.", "I switched to Dr. Wu.") == [
        "Dr. Lee",
        "Dr. Ray",
        "Dr. Wu",
    ]


def test_a_corrected_name_keeps_its_role() -> None:
    told = ("My dentist is Dr. Lee.", "Typo, it's Dr. Li.", "I have a new dentist, Dr. Wu.")
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        for text in told:
            memory.add(text, user="u", session="s")
        assert [fact.value for fact in memory.facts("user", "contact", user="u") if fact.polarity == "+"] == ["Dr. Wu"]
