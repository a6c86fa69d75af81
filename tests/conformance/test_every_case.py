"""Holds the conformance tests to the list of cases: every id has a test."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = HERE.parents[2] / "shared" / "cases" / "cases.jsonl"


@pytest.mark.data
@pytest.mark.skipif(not CASES.exists(), reason="the list of cases is not on this machine")
def test_every_case_has_a_test() -> None:
    """Each id of cases.jsonl names at least one test function, and no test names an id that is not there."""
    ids = {json.loads(line)["id"].lower() for line in CASES.read_text(encoding="utf-8").splitlines() if line}
    named = {
        found for file in HERE.glob("test_*_cases.py") for found in re.findall(r"def test_(c\d{3})_", file.read_text())
    }
    assert named == ids
