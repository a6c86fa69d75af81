"""The speed benchmark on scopes so small that only its shape is tested."""

from pathlib import Path

import pytest

from bench import speed


@pytest.mark.slow
def test_every_key_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every figure that the protocol names, as a number or with the reason why not, and the floor beside it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = speed.measure("none", 60)
    assert result.keys() >= {
        "add_per_s", "batch_add_per_s", "embed_per_s", "recall_ms", "recall_100k_ms", "recall_1000_scopes_ms", "open_s",
        "rss_mb", "cli_s", "floor",
    }  # fmt: skip
    assert (result["searchable_at_once"], result["embed_per_s_reason"]) == (True, "no embedder")
    assert result["floor"].keys() == {"add_per_s", "batch_add_per_s", "select_per_s"}


def test_random_vectors_are_alike_as_those_of_a_model_are() -> None:
    """Unit vectors, the same for the same text, with a mean cosine near that of e5."""
    model = speed.RandomVectors(None)
    vectors = model.passages([f"text {i}" for i in range(40)])
    cosines = vectors @ vectors.T
    assert cosines.diagonal() == pytest.approx(1.0, abs=1e-5)
    assert float(cosines[0, 1:].mean()) == pytest.approx(0.8, abs=0.03)
    assert (model.query("text 3") == vectors[3]).all()
