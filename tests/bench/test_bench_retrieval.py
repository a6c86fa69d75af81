"""The runner from end to end on a tiny set, and on five questions of the real one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench.cache import CachedEmbedder

from bench import data, retrieval
from zeromem.models.scripted import ScriptedEmbedder

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def measured(tiny: Path, tmp_path: Path) -> dict:
    return retrieval.measure(data.load(tiny, "locomo"), CachedEmbedder(ScriptedEmbedder(), tmp_path / "vectors.db"))


def test_the_memory_is_measured_as_the_protocol_says(measured: dict) -> None:
    """Found, found twice in one card, no card (an acknowledgement), and said after the question: 1, 1, 0, 0."""
    assert {key: measured[key] for key in ("n", "turns", "turns_without_card", "embedder")} == {
        "n": 4, "turns": 6, "turns_without_card": 1, "embedder": "scripted",
    }  # fmt: skip
    assert {key: measured[key] for key in ("any@5", "all@10", "frac@10", "session_any@5", "gold@800")} == {
        "any@5": 0.5, "all@10": 0.5, "frac@10": 0.5, "session_any@5": 0.5, "gold@800": 0.5,
    }  # fmt: skip


def test_the_baselines_see_the_same_turns_and_the_same_time(measured: dict) -> None:
    """Every baseline has the same keys; the full history holds what was said before the question: three of four answers."""
    assert list(measured["baselines"]) == ["bm25", "dense", "sum", "sum_neighbours", "last", "full"]
    assert measured["baselines"]["full"]["gold"] == 0.75
    assert measured["baselines"]["last"]["all@5"] == 0.75
    assert measured["baselines"]["bm25"].keys() >= {
        "any@5",
        "all@10",
        "frac@10",
        "session_all@5",
        "gold@400",
        "tokens_mean",
    }


def test_a_category_stands_by_itself(measured: dict) -> None:
    """by_category has its own n and figures."""
    assert measured["by_category"]["single-hop"]["n"] == 4
    assert measured["by_category"]["single-hop"]["frac@10"] == measured["frac@10"]


def test_vectors_are_made_once(tmp_path: Path) -> None:
    """The cache gives the very same vectors without asking the model again."""
    model = ScriptedEmbedder()
    first = CachedEmbedder(model, tmp_path / "v.db")
    made = first.passages(["a boat", "a train", "a boat"])
    asked = first.query("a boat")
    calls = model.calls
    again = CachedEmbedder(model, tmp_path / "v.db")
    assert (again.passages(["a boat", "a train", "a boat"]) == made).all()
    assert (again.query("a boat") == asked).all()
    assert (model.calls, first.misses, again.misses) == (calls, 3, 0)
    assert (again.name, again.version, again.dimension) == (model.name, model.version, model.dimension)


@pytest.mark.data
def test_five_questions_of_locomo_from_the_command_line(shared_data: Path) -> None:
    """One JSON object on stdout with every key of the protocol."""
    command = [
        sys.executable,
        "-m",
        "bench",
        "locomo",
        "--data",
        str(shared_data),
        "--embedder",
        "none",
        "--limit",
        "5",
        "--json",
    ]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    assert (result["dataset"], result["n"], result["embedder"]) == ("locomo", 5, "none")
    assert result.keys() >= {
        "any@5", "any@10", "all@5", "all@10", "frac@5", "frac@10", "session_any@5", "session_all@5", "gold@400", "gold@800",
        "gold@1600", "tokens_mean", "recall_ms", "by_category", "baselines",
    }  # fmt: skip
