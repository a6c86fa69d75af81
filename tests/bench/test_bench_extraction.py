"""What counts as written down: one unit of the session that holds the atoms and the words."""

from pathlib import Path
from typing import Any

from bench_samples import turn

from bench import extraction


def test_a_gold_memory_stands_in_one_unit_of_its_session(tmp_path: Path, write: Any) -> None:
    """Said in one turn: held; said in two: by the session alone; a wrong number or another session's words: by none."""
    write("realmem", "turns", [
        turn("1", "I owe Tunde 200,000 naira for the generator.", "2024-01-01T10:00:00"),
        turn("2", "The interest is none at all.", "2024-01-01T10:00:00"),
        turn("3", "My parrot Mango eats figs.", "2024-01-02T10:00:00", session="s2"),
    ])  # fmt: skip
    gold = [
        "【Debts】 User owes Tunde 200,000 naira for the generator.", "Generator loan interest: none.",
        "User owes Tunde 300,000 naira.", "The parrot Mango eats figs.",
    ]  # fmt: skip
    write("realmem", "gold_memories", [
        {"conversation_id": "c1", "session_id": "s1", "content": text} for text in gold
    ])  # fmt: skip
    told = extraction.measure(tmp_path, None)
    assert {name: told[name] for name in ("n", "turns", "raw_turn", "card", "card_with_facts", "session")} == {
        "n": 4, "turns": 3, "raw_turn": {"60 %": 0.25, "all": 0.25}, "card": {"60 %": 0.25, "all": 0.25},
        "card_with_facts": {"60 %": 0.25, "all": 0.25}, "session": {"60 %": 0.5, "all": 0.25},
    }  # fmt: skip
