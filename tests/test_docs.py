"""The documents tell the truth: their Python blocks run and print what stands below them, their commands and files exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from typer.main import get_command

from zeromem import Settings
from zeromem.asking import _OPTIONS
from zeromem.rules import kinds, presets, slots
from zeromem.surfaces.cli import app

ROOT = Path(__file__).parent.parent
DOCUMENTS = ("README.md", "docs/quickstart.md")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \|$", re.MULTILINE)
_MARK = "\x1e"


def blocks(document: str) -> list[tuple[str, str]]:
    return _BLOCK.findall((ROOT / document).read_text(encoding="utf-8"))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_python_blocks_print_what_the_document_says(document, tmp_path):
    """All Python blocks run in order in one fresh process; each prints exactly the text block that follows it."""
    found = blocks(document)
    codes = [code for kind, code in found if kind == "python"]
    script = f"print({_MARK!r}, end='')\n".join(codes)
    done = subprocess.run([sys.executable, "-X", "utf8", "-c", script], capture_output=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr.decode("utf-8")
    printed = done.stdout.decode("utf-8").replace("\r\n", "\n").split(_MARK)
    wanted = [
        found[i + 1][1] if found[i + 1][0] == "text" else "" for i, (kind, _) in enumerate(found) if kind == "python"
    ]
    assert printed == wanted


def test_readme_shows_code_and_output_early():
    """The first Python block and its output begin before line 35, and the code has ten lines at most."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines.index("```python") < 35 and lines.index("```text") < 35
    assert len(blocks("README.md")[1][1].splitlines()) <= 10


def test_every_source_file_is_in_the_readme():
    """The README's list holds every file of the package and no other, each in eight words at most."""
    package = ROOT / "src/zeromem"
    there = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*")
        if path.suffix in (".py", ".sql", ".toml", ".txt", ".json", ".jsonl", ".md", ".npz")
        and "__pycache__" not in path.parts
    }
    told = dict(_ROW.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    assert (sorted(there - told.keys()), sorted(told.keys() - there)) == ([], [])
    assert [name for name, words in told.items() if len(words.split()) > 8] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_in_the_documents_exist(document):
    """Every `zeromem …` line of a shell block names a command and options that the command line has."""
    commands = get_command(app).commands
    for line in (line for kind, code in blocks(document) if kind == "sh" for line in code.splitlines()):
        for part in re.split(r"&&|\|", line.partition(" # ")[0]):
            words = shlex.split(part.partition("<")[0])
            if words[:1] != ["zeromem"]:
                continue
            name = next(word for word in words[1:] if word in commands)
            known = {option for parameter in commands[name].params for option in parameter.opts}
            assert [word for word in words if word.startswith("-") and word != "-" and word not in known] == [], line


def test_links_lead_somewhere():
    """Relative links in the documents point at files that exist."""
    for document in (*DOCUMENTS, "CONTRIBUTING.md", "CHANGELOG.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            if "://" not in target:
                assert ((ROOT / document).parent / target).exists(), f"{document}: {target}"


def test_the_changelog_names_this_version():
    """The version of the package has its entry."""
    import zeromem

    assert zeromem.__version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_reference_names_every_option_setting_slot_and_preset():
    """`docs/reference/options.md` is complete, and its defaults are those of the code."""
    told = (ROOT / "docs/reference/options.md").read_text(encoding="utf-8")
    options, chosen, stated = (
        dict(re.findall(r"^\| `([^|`]+)`[^|]*\|([^|\n]*)\|", part, re.MULTILINE)) for part in told.split("\n## ")[1:]
    )
    settings = {field.name: field.default for field in fields(Settings) if field.init}
    assert {*_OPTIONS, "budget", "k"} - {*options, "before"} == set()
    assert {*settings, *presets()} - chosen.keys() == set()
    for name, default in settings.items():
        shown = str(default).lower() if isinstance(default, bool) else str(default)
        assert (name, chosen[name].strip("` ")) == (name, shown)
    assert {name: held.strip() for name, held in stated.items() if name != "slot"} == {
        n: e["holds"] for n, e in slots().items()
    }
    assert [kind for kind in kinds() if f"`{kind}`" not in told] == []
