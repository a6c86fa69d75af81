"""The command line in the test's own process."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

import pytest

from zeromem.surfaces.cli import main


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    def json(self) -> dict:
        return json.loads(self.out)


@pytest.fixture
def cli(tmp_path, capsys, monkeypatch):
    """Run a command line in this process, on a file of its own, with keywords only (no model to load)."""
    for name in [name for name in os.environ if name.startswith("ZEROMEM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ZEROMEM_DB", str(tmp_path / "m.db"))
    monkeypatch.setenv("ZEROMEM_EMBEDDER", "none")

    def run(*arguments: str) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(arguments)
        said = capsys.readouterr()
        return Done(left.value.code, said.out, said.err)

    return run
