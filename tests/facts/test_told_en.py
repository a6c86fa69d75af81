"""What English messages deny whole, tell in the words of others, take back, change or let follow: the right value, and nothing invented."""

from __future__ import annotations

import pytest

from zeromem import Memory
from zeromem.encode.stated import claims_of

DENIED = [
    ("It's not true that I live in Oslo.", ["user | home | Oslo | -"]),
    ("I deny that I work for Siemens.", ["user | workplace | Siemens | -"]),
    ("Far from it that I speak Polish.", ["user | language | Polish | -"]),
    ("It's a lie that I hate jazz.", ["user | dislikes | jazz | -"]),
    ("It simply isn't the case that I live in Oslo.", ["user | home | Oslo | -"]),
    ("I can't deny that I love cheese.", ["user | likes | cheese"]),
    ("The rumour that I am vegan is wrong.", []),
    ("That I am vegan is nonsense.", []),
    ("I heard a rumour that Tom lives in Rome.", []),
    ("The claim that I work at Shell is not true.", []),
    ("It's not true that Tom plays tennis.", []),
]
OF_OTHERS = [
    ("I live in Bath, said Tom.", ["Tom | home | Bath"]),
    ("I moved to Rome, replied Ana.", ["Ana | home | Rome"]),
    ("I moved to Rome, she told me.", ["user | home | Rome | + | uncertain"]),
    ("According to Tom, I live in Rome.", ["user | home | Rome | + | uncertain"]),
    ("As Tom put it, I am a vegan.", ["user | diet | vegan | + | uncertain"]),
    ("ChatGPT said I am allergic to eggs", ["user | allergy | eggs | + | uncertain"]),
    ("The quiz says I live in Rome.", ["user | home | Rome | + | uncertain"]),
    ("My doctor says I'm allergic to latex.", ["user | allergy | latex"]),
    ("According to my doctor, I am allergic to latex.", ["user | allergy | latex"]),
    ("According to the schedule, my flight is on Friday.", ["flight | date | Friday"]),
    ("Forwarded message:\nFrom: Tom\nI moved to Bath", []),
    ("Fwd from Tom:\nI moved to Bath", []),
    ("My forwarding address is 5 Elm Road.", ["forwarding address | value | 5 Elm Road"]),
]
CHANGED = [
    ("My phone number has been changed to 555-0199.", ["user | phone | 555-0199"]),
    ("The gate has been changed to B7.", ["gate | identifier | B7", "gate | value | B7"]),
    ("The wifi password was changed to hunter22.", ["wifi | code | hunter22"]),
    ("My surname was changed to Novak.", ["user | name | Novak"]),
    ("The budget was cut to 300 euros.", ["budget | budget | 300 euros"]),
    ("My flight has been moved to 4 June.", ["flight | date | 4 June"]),
    ("We switched to Linear.", ["user | uses | Linear"]),
]
OTHER = [
    ("I have a flat in Bath that I rent out.", ["user | owns | flat"]),
    ("I have a flat in Bruges as an investment.", ["user | owns | flat"]),
    ("I am maid of honor at my sister's wedding.", []),
    ("Our vet is Dr. Amara Lindqvist.", ["user | contact | Dr. Amara Lindqvist"]),
    ("It's my mom's birthday on Sunday, she lives in Houston.", ["mom | home | Houston"]),
    ("My neighbour's flat is empty, she lives in York.", ["neighbour | home | York"]),
    ("I talked to my uncle, he works at Aldi.", ["uncle | workplace | Aldi"]),
    ("My son's shoe size is 36.", ["son | measure | 36"]),
]


@pytest.mark.parametrize(("text", "wanted"), DENIED + OF_OTHERS + CHANGED + OTHER)
def test_a_message_states_what_it_says(text: str, wanted: list[str]) -> None:
    claims = claims_of("message", "user", None, text)
    found = [[c.subject, c.slot, c.value, c.polarity, c.modality] for c in claims]
    for one in found:
        while one[-1] in ("asserted", "+"):
            one.pop()
    assert sorted(" | ".join(one) for one in found) == sorted(wanted)


def facts(*messages: str) -> tuple[list[str], list[str]]:
    """What holds or is planned after these messages, a week apart in one session, and what was ended."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        for week, message in enumerate(messages):
            memory.add(message, user="u", session="s", at=f"2026-03-{1 + 7 * week:02}")
        told = memory.facts(user="u", include_superseded=True, as_of="2026-03-31")
    lines = {id(f): f"{f.subject} | {f.slot} | {f.value}" for f in told if f.polarity == "+"}
    holds = [lines[id(f)] for f in told if id(f) in lines and (f.current or f.standing == "planned")]
    return holds, [lines[id(f)] for f in told if id(f) in lines and f.standing == "superseded"]


@pytest.mark.parametrize(
    ("first", "taken"),
    [
        ("I moved to Mars.", "Just kidding!"),
        ("My cat is called Mia.", "I made that up"),
        ("I'm allergic to nuts.", "Actually, I lied about that."),
        ("I work at NASA.", "That was a joke, sorry."),
        ("I'm vegan.", "Not really."),
        ("I'm 41.", "Scratch that."),
    ],
)
def test_what_is_taken_back_states_nothing(first: str, taken: str) -> None:
    assert facts(first, taken)[0] == []
    if "Not" not in taken and "Scratch" not in taken:
        assert facts(f"{first} {taken}")[0] == []


@pytest.mark.parametrize(
    "messages",
    [
        ("I live in Leeds.", "The bus was late today.", "Just kidding!"),
        ("I live in Leeds. My cat is a genius.", "Just kidding!"),
        ("I live in Leeds.", "Shall I take the bus?", "Not really."),
        ("I live in Leeds.", "I'm not kidding."),
        ("I live in Leeds.", "My sister made up with Tom."),
    ],
)
def test_only_what_was_said_right_before_is_taken_back(messages: tuple[str, ...]) -> None:
    assert "user | home | Leeds" in facts(*messages)[0]


def test_an_assistant_that_is_told_it_is_wrong_takes_nothing_from_the_user() -> None:
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("I live in Leeds.", user="u", session="s")
        memory.add([{"role": "assistant", "content": "So you live in London."}], user="u", session="s")
        memory.add("That's wrong.", user="u", session="s")
        assert [fact.value for fact in memory.facts(user="u")] == ["Leeds"]


@pytest.mark.parametrize(
    ("first", "second", "ended"),
    [
        ("We have a dog, Rex. He is 5.", "Rex died last month.", ["user | pet | Rex", "Rex | age | 5"]),
        ("I have a cat, Miso. She is 3.", "Our cat Miso passed away.", ["user | pet | Miso", "Miso | age | 3"]),
        ("Tom lives in Rome.", "Tom passed away yesterday.", ["Tom | home | Rome"]),
        ("We have a dog, Rex.", "We had to put Rex to sleep.", ["user | pet | Rex"]),
        ("We have a dog, Rex.", "Rex died laughing.", []),
        ("Tom works at Shell.", "My phone died.", []),
        ("I'm learning Spanish.", "I gave up on Spanish.", ["user | study | Spanish"]),
        ("I'm learning Spanish.", "I gave up on learning the cello.", []),
        ("I need to renew my passport.", "I renewed my passport.", ["user | todo | renew my passport"]),
        ("I have to pay the rent.", "I finally paid the rent.", ["user | todo | pay the rent"]),
        ("I need to buy paint.", "I bought new shoes.", []),
        ("I need to call Ana.", "I haven't called Ana.", []),
        ("Theo is allergic to peanuts.", "Theo isn't allergic to peanuts after all.", ["Theo | allergy | peanuts"]),
        ("The VPN port is 1194.", "The VPN port has been changed to 443.", ["VPN port | identifier | 1194", "VPN port | value | 1194"]),
        ("The plumber comes on Friday at 4.", "Sorry, plumber is Thursday at 4, not Friday.", ["plumber | date | Friday at 4"]),
        ("The dentist appointment is on March 12.", "I mixed that up: the dentist is on March 5.", ["dentist appointment | date | March 12"]),
        ("The shed key is under the pot.", "I moved the shed key to the drawer.", ["shed key | location | pot"]),
        ("I live in Leeds.", "I don't live in Leeds city centre.", []),
        ("I live in Leeds.", "I don't live in Leeds.", ["user | home | Leeds"]),
        ("My sister plays tennis.", "My sister plays chess.", []),
        ("Ben coaches the juniors.", "Ben coaches the seniors.", []),
        ("Ana hosts a podcast.", "Ana hosts a quiz night.", []),
        ("Ana sits next to Kim.", "Ana sits next to Lou.", []),
        ("Tom plays for Arsenal.", "Tom plays for Chelsea.", ["Tom | plays for | Arsenal"]),
        ("I live in Leeds.", "According to Tom, I live in York.", []),
        ("I work at Shell.", "From April I work at Hasbro.", []),
    ],
)  # fmt: skip
def test_what_the_second_ends(first: str, second: str, ended: list[str]) -> None:
    assert facts(first, second)[1] == ended


@pytest.mark.parametrize(
    ("text", "fact", "begins"),
    [
        ("From April I work at Hasbro.", "Hasbro", "2026-04-01"),
        ("My boss is Anna from May on.", "Anna", "2026-05-01"),
        ("The gym costs 40 euros from May.", "40 euros", "2026-05-01"),
        ("Our rent rises to 820 in May.", "820", "2026-05-01"),
        ("As of June my manager is Zoe.", "Zoe", "2026-06-01"),
    ],
)
def test_what_is_to_come_has_its_time(text: str, fact: str, begins: str) -> None:
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add(text, user="u", at="2026-03-01")
        (one,) = memory.facts(user="u", as_of="2026-03-02")
        assert (one.value, one.modality, (one.valid_from or "")[:10]) == (fact, "planned", begins)


@pytest.mark.parametrize(
    "text", ["The museum costs 12 euros from Monday to Friday.", "I've been vegan from May last year."]
)
def test_a_stretch_of_the_week_or_of_last_year_is_no_plan(text: str) -> None:
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add(text, user="u", at="2026-03-01")
        assert [fact.modality for fact in memory.facts(user="u", as_of="2026-03-02")] == ["asserted"]


def test_a_moved_meeting_moves_its_plan() -> None:
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("I have a meeting with Dana on Monday at 10.", user="u", at="2026-03-03")
        memory.add("The meeting with Dana has been moved to Tuesday at 11.", user="u", at="2026-03-06")
        plans = memory.facts(slot="plan", user="u", as_of="2026-03-06")
        assert [(plan.value, plan.when) for plan in plans] == [("meeting with Dana", "Tuesday at 11")]
