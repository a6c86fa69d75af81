"""A tiny set in the shape of the benchmark data, and the real data where it stands beside the repository."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # `bench` stands beside the package, not in it

from bench_samples import question, turn  # noqa: E402  # after the path is set

Write = Callable[[str, str, list[dict[str, Any]]], None]
DATA = ROOT.parent / "shared" / "data"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes one gzipped JSONL file of a set below `tmp_path`."""

    def rows(name: str, file: str, held: list[dict[str, Any]]) -> None:
        (tmp_path / name).mkdir(exist_ok=True)
        with gzip.open(tmp_path / name / f"{file}.jsonl.gz", "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in held)

    return rows


@pytest.fixture
def tiny(tmp_path: Path, write: Write) -> Path:
    """Two conversations in the shape of LoCoMo; returns the data folder."""
    write("locomo", "turns", [
        turn("1", "I keep a parrot called Mango.", "2024-01-01T10:00:00"),
        turn("2", "ok", "2024-01-01T10:00:00", speaker="Ben"),
        turn("3", "The ferry to Naxos was cancelled.", "2024-01-02T10:00:00", session="s2"),
        turn("4", "The ferry to Naxos was cancelled.", "2024-02-01T09:00:00", session="s3"),
        turn("5", "My dentist is called Doctor Pine.", "2024-03-01T09:00:00", session="s4"),
        turn("1", "We sold the green tractor.", "2024-01-01T10:00:00", conversation="c2"),
    ])  # fmt: skip
    write("locomo", "questions", [
        question("q1", "What is the parrot called?", ["1"]),
        question("q2", "Which ferry was cancelled?", ["3", "4"]),
        question("q3", "Who agreed?", ["2"]),
        question("q4", "What is the dentist called?", ["5"]),
        question("q5", "What did nobody say?", ["1"], category="adversarial"),
        question("q6", "What has no evidence?", []),
        question("q7", "What cannot be answered?", ["1"], answerable=False),
    ])  # fmt: skip
    return tmp_path


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real benchmark data; a test that asks for it is skipped where it is missing."""
    if not (DATA / "locomo").is_dir():
        pytest.skip(f"the benchmark data is not at {DATA}")
    return DATA
