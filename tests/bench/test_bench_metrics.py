"""The measures on hand-made examples with the values that the protocol's words ask for."""

import pytest
from bench.metrics import (
    Place,
    all_at,
    any_at,
    at_depths,
    frac_at,
    holds,
    idf,
    mean_of,
    percentiles,
    place,
    ranks,
    session_ranks,
    shown_by_pointer,
    survives,
)


def places(*turns: str) -> list[Place]:
    return [Place((turn,)) for turn in turns]


def test_any_all_and_frac_of_two_gold_turns_one_in_the_top() -> None:
    """One of two gold turns within k: any is 1, all is 0, frac is a half."""
    found = ranks(places("a", "b", "c", "d", "e", "f"))
    gold = ["b", "f"]
    assert (any_at(found, gold, 5), all_at(found, gold, 5), frac_at(found, gold, 5)) == (1.0, 0.0, 0.5)
    assert (any_at(found, gold, 10), all_at(found, gold, 10), frac_at(found, gold, 10)) == (1.0, 1.0, 1.0)


def test_a_turn_without_a_place_is_missed() -> None:
    """Gold that was never ranked (an acknowledgement has no card) counts as missed at every depth."""
    found = ranks(places("a"))
    assert (any_at(found, ["z"], 10), all_at(found, ["a", "z"], 10), frac_at(found, ["a", "z"], 10)) == (0.0, 0.0, 0.5)


def test_a_turn_ranks_as_its_best_card() -> None:
    """Later segments of a turn take a rank of their own and do not change the turn's."""
    assert ranks(places("a", "b", "a", "c")) == {"a": 1, "b": 2, "c": 4}


def test_a_repeat_credits_all_its_turns_at_one_rank() -> None:
    """The same words said twice are one card; both turns rank where it stands, and the next card comes right after."""
    repeat = place("I moved to Lisbon.", {"a": "I moved to Lisbon.", "b": "I moved  to lisbon."})
    assert repeat == Place(("a", "b"), 1)
    assert ranks([repeat, *places("c")]) == {"a": 1, "b": 1, "c": 2}


def test_a_card_of_several_turns_credits_those_it_holds_and_takes_their_ranks() -> None:
    """Two turns stand in the card word for word, the third does not: two are credited, two ranks are taken."""
    card = "We met Ana in Porto. She paints boats."
    turns = {"a": "We met Ana in Porto.", "b": "She paints boats.", "c": "The ferry leaves at nine on Sunday."}
    summary = place(card, turns)
    assert summary == Place(("a", "b"), 2)
    assert ranks([summary, *places("d")]) == {"a": 1, "b": 1, "d": 3}


def test_a_card_of_several_turns_that_holds_none_still_takes_a_rank() -> None:
    """A summary that lost everything credits nobody and pushes the next card down."""
    assert place("They talked.", {"a": "Ana paid 30 euros.", "b": "Ben lives in Rome."}) == Place((), 1)


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        ("Ana bought seven blue kayaks in Porto", True),
        ("bought blue kayaks Porto", False),
        ("seven kayaks Ana Porto", False),
    ],
    ids=["enough words and all atoms", "a name is lost", "half of the words are lost"],
)
def test_a_reworded_turn_needs_its_atoms_and_three_fifths_of_its_words(card: str, expected: bool) -> None:
    """The 60 % rule for cards made of several turns."""
    assert holds(card, "we saw that Ana bought seven blue kayaks near Porto") is expected


def test_sessions_rank_among_sessions_by_their_best_turn() -> None:
    """Five turns of one session take one session rank, so the second session is second."""
    found = session_ranks(places("a1", "a2", "a3", "b1", "a4", "c1"), {
        "a1": "A", "a2": "A", "a3": "A", "a4": "A", "b1": "B", "c1": "C",
    })  # fmt: skip
    assert found == {"A": 1, "B": 2, "C": 3}
    assert (any_at(found, ["C"], 5), all_at(found, ["A", "C"], 5)) == (1.0, 1.0)


def test_depths_have_every_key() -> None:
    """The six figures of a ranking, with a prefix where asked."""
    assert at_depths({"a": 6}, ["a"], "turn_") == {
        "turn_any@5": 0.0, "turn_any@10": 1.0, "turn_all@5": 0.0, "turn_all@10": 1.0, "turn_frac@5": 0.0, "turn_frac@10": 1.0,
    }  # fmt: skip


TURN = "Ana keeps 12 old maps. The weather was fine and we laughed a lot about nothing."
WEIGHTS = idf([TURN, "the weather was fine", "we laughed a lot", "nothing new about the weather", "fine"])


def test_a_whole_turn_survives_whatever_its_layout() -> None:
    """White space, case, full-width letters and the context's escapes make no difference."""
    assert survives(
        "ana keeps 12 old maps.\n  The weather was fine and\n  we laughed a lot about nothing.", TURN, WEIGHTS
    )
    assert survives("see &lt;b>bold&lt;/b> [m :x]", "See <b>bold</b> [m:x]", {})


def test_a_shortened_turn_survives_with_its_atoms_and_its_rare_words() -> None:
    """What is left out is common in the scope, so 70 % of the weight stands there."""
    assert survives("… Ana keeps 12 old maps. We laughed about nothing", TURN, WEIGHTS)


def test_a_shortened_turn_without_one_atom_or_with_too_few_words_does_not_survive() -> None:
    """A lost number or name, or a rest that is only the common part, counts as lost."""
    assert not survives("Ana keeps old maps. The weather was fine and we laughed a lot about nothing", TURN, WEIGHTS)
    assert not survives("Ana 12", TURN, WEIGHTS)


def test_what_a_context_shows_is_read_by_pointer() -> None:
    """Headings and the closing tag belong to no memory; a shortened memory's sentences belong to its pointer."""
    text = (
        '<memory note="x">\n## 2026-01-03 · s1\n[m:maps] Ana: I keep maps.\n  Old ones.\n[m:boat] Ana: (shortened)\n'
        "  … It sank.\n## 2026-01-04 · s2\n[m:rome] Ben: Rome!\n</memory>\n"
    )
    assert shown_by_pointer(text) == {
        "maps": "Ana: I keep maps.\n  Old ones.\n",
        "boat": "Ana: (shortened)\n  … It sank.\n",
        "rome": "Ben: Rome!\n",
    }


def test_means_are_over_the_rows_that_have_the_key() -> None:
    """A question without known gold turns does not count for gold@B."""
    assert mean_of([{"any@5": 1.0, "gold@400": 0.5}, {"any@5": 0.0}]) == {"any@5": 0.5, "gold@400": 0.5}


def test_percentiles() -> None:
    """Nearest rank."""
    assert percentiles([float(i) for i in range(1, 101)]) == {"p50": 50.0, "p95": 95.0}
    assert percentiles([]) == {}
