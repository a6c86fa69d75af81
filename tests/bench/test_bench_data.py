"""The loaders on tiny sets in the shape of the real ones."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench_samples import question, turn

from bench import data


def test_what_the_protocol_leaves_out_is_left_out(tiny: Path) -> None:
    """Adversarial questions and those without evidence are dropped, unanswerable ones kept apart."""
    held = data.load(tiny, "locomo")
    assert [q.id for q in held.questions] == ["q1", "q2", "q3", "q4"]
    assert [q.id for q in held.unanswerable] == ["q7"]
    assert {name: [t.id for t in turns] for name, turns in held.turns.items()} == {
        "c1": ["1", "2", "3", "4", "5"],
        "c2": ["1"],
    }


def test_naive_times_are_utc_and_the_moment_of_asking_is_still_known(tiny: Path) -> None:
    """A turn at the very time of the question is known, one second later is not."""
    held = data.load(tiny, "locomo")
    assert held.turns["c1"][0].time == datetime(2024, 1, 1, 10, tzinfo=UTC)
    assert held.questions[0].asked == datetime(2024, 2, 1, 9, tzinfo=UTC)
    assert held.questions[0].before == datetime(2024, 2, 1, 9, 0, 1, tzinfo=UTC)


def test_a_limit_keeps_the_first_questions_and_only_their_conversations(tiny: Path) -> None:
    """`--limit` also saves adding the other conversations."""
    held = data.load(tiny, "locomo", 2)
    assert ([q.id for q in held.questions], list(held.turns)) == (["q1", "q2"], ["c1"])


def test_turn_evidence_names_its_sessions(tiny: Path) -> None:
    """Session figures of a turn-level set come from the sessions of the gold turns."""
    assert data.load(tiny, "locomo").questions[1].sessions == {"s2", "s3"}


def test_session_evidence_keeps_its_known_turns(tmp_path: Path, write: Any) -> None:
    """LongMemEval-S: gold is the session; the turns that hold the answer serve gold@B."""
    write("longmemeval_s", "turns", [turn("s1:0", "a", "2024-01-01"), turn("s2:0", "b", "2024-01-02", session="s2")])
    write("longmemeval_s", "questions", [
        question("q", "?", ["s1", "s2"], evidence_level="session", evidence_turns=["s2:0"]),
    ])  # fmt: skip
    (asked,) = data.load(tmp_path, "longmemeval_s").questions
    assert (asked.by_session, asked.sessions, asked.turns) == (True, {"s1", "s2"}, {"s2:0"})


def test_realmem_leads_gold_memories_to_turns_and_asks_before_the_day(tmp_path: Path, write: Any) -> None:
    """`source_turn` counts from 1; a question that names its turn knows nothing of its own day."""
    write("realmem", "turns", [turn("s1.0", "a", "2024-01-01"), turn("s1.1", "b", "2024-01-01")])
    write("realmem", "gold_memories", [
        {"conversation_id": "c1", "session_id": "s1", "content": "known", "source_turn": 2},
        {"conversation_id": "c1", "session_id": "s1", "content": "beyond the session", "source_turn": 9},
    ])  # fmt: skip
    write("realmem", "questions", [
        question("q", "?", ["s1"], evidence_level="session", question_time="2024-01-05", at="s2.0",
                 memory_used=["known", "beyond the session", "unknown"]),
    ])  # fmt: skip
    (asked,) = data.load(tmp_path, "realmem").questions
    assert (asked.turns, asked.before) == ({"s1.1"}, datetime(2024, 1, 5, tzinfo=UTC))


def test_longmemeval_is_one_pool(tmp_path: Path, write: Any) -> None:
    """Evidence turns of all questions stand in one store."""
    write("longmemeval", "turns", [
        turn("a", "x", "2024-01-01", conversation="q1"), turn("b", "y", "2024-01-01", conversation="q2"),
    ])  # fmt: skip
    write("longmemeval", "questions", [question("q1", "?", ["a"], conversation_id="q1")])
    held = data.load(tmp_path, "longmemeval")
    assert (list(held.turns), held.questions[0].conversation) == (["pool"], "pool")
