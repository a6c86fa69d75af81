"""Facts on the command line: the table, the questions, facts told by hand, and what search and recall do with what no longer holds."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise

import pytest

HEADS = ["subject", "slot", "value", "standing", "since", "sure", "memory", "superseded by"]


@pytest.fixture
def moved(cli):
    """Lived in Leeds, moved to Bath."""
    cli("add", "I live in Leeds.", "--at", "2026-01-03")
    return cli("add", "I moved to Bath.", "--at", "2026-03-10")


def cells(out: str) -> list[list[str]]:
    """The table, cut where its headings begin."""
    lines = out.splitlines()
    starts = [lines[0].index(head) for head in HEADS] + [None]
    return [[line[a:b].strip() for a, b in pairwise(starts)] for line in lines]


def test_the_receipt_says_what_a_message_ended(moved):
    """The old memory by its pointer, and from what to what."""
    assert [line.split()[:2] for line in moved.out.splitlines()] == [
        ["stored", "[m:bath]"],
        ["superseded", "[m:leeds]"],
    ]
    assert "(user's home: Leeds → Bath)" in moved.out


def test_what_holds_is_a_table(cli, moved):
    """One line a fact; with --all what was overtaken too, until when, and by what."""
    bath = ["user", "home", "Bath", "current", "2026-03-10", "50%", "[m:bath]", ""]
    assert cells(cli("facts").out) == [HEADS, bath]
    leeds = ["user", "home", "Leeds", "superseded", "2026-01-03 to 2026-03-10", "50%", "[m:leeds]", "[m:bath]"]
    assert cells(cli("facts", "user", "--slot", "home", "--all").out) == [HEADS, leeds, bath]


def test_columns_stand_below_each_other_in_chinese_too(cli):
    """A Chinese character takes two columns."""
    cli("add", "我住在杭州。")
    cli("add-fact", "Ana", "home", "Leeds")
    head, *rows = cli("facts").out.splitlines()
    wide = [row.replace("杭州", "杭州..") for row in rows]
    assert [row.index("current") for row in wide] == [head.index("standing")] * 2


def test_facts_in_a_locale_without_chinese(tmp_path):
    """A real process under LC_ALL=C takes and prints Chinese as UTF-8."""
    environment = {
        **{name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME", "SYSTEMROOT") if name in os.environ},
        "ZEROMEM_DB": str(tmp_path / "m.db"), "ZEROMEM_EMBEDDER": "none", "LC_ALL": "C", "PYTHONUTF8": "0",
    }  # fmt: skip
    for words in (["add-fact", "王芳", "home", "杭州"], ["facts", "王芳"]):
        command = [sys.executable, "-m", "zeromem", *(word.encode() for word in words)]
        done = subprocess.run(command, capture_output=True, env=environment, timeout=120)
        assert done.returncode == 0, done.stderr
    assert done.stdout.decode("utf-8").splitlines()[1].split()[:4] == ["王芳", "home", "杭州", "current"]


def test_what_is_denied_and_what_is_planned_say_so(cli):
    """A denial is "not …"; what was overtaken says as what it had been said."""
    cli("add-fact", "Ana", "diet", "pork", "--not")
    for day, town in ((1, "York"), (2, "Oslo")):
        cli("add", f"I am moving to {town} next month.", "--at", f"2026-03-0{day}")
    told = {row[2]: row[3] for row in cells(cli("facts", "--all").out)[1:]}
    assert told == {"not pork": "current", "York": "superseded (planned)", "Oslo": "planned"}


def test_facts_as_of_a_moment_and_as_known_then(cli, moved):
    """--as-of goes by when it was so, --known-at by when it was told to us."""
    assert [fact["value"] for fact in cli("facts", "--as-of", "2026-02", "--json").json()["facts"]] == ["Leeds"]
    assert cli("facts", "--known-at", "2026-04-01", "--json").json() == {"facts": []}


def test_no_facts_is_no_error(cli, moved):
    """A line on stderr says for what nothing is known, stdout stays empty; a foreign user is named as in list."""
    done = cli("facts", "Bob", "--slot", "home")
    assert (done.code, done.out) == (0, "")
    assert done.err == "no fact is known of 'Bob' in slot 'home'; --all also shows what no longer holds\n"
    assert "nothing is remembered for user 'zoe'" in cli("facts", "--user", "zoe").err
    assert cli("facts", "Bob", "--json").json() == {"facts": []}


def test_facts_need_a_file_that_is_there(cli):
    """Looking makes no file; a fact told by hand does."""
    assert (cli("facts").code, cli("clarifications").code) == (3, 3)
    assert cli("add-fact", "Ana", "home", "Bath").code == 0
    assert cli("facts", "Ana", "--json").json()["facts"][0]["made_by"] == "hand"


def test_a_fact_told_by_hand_holds_in_its_time(cli):
    """--from and --to bound it, and it ends what was said before."""
    cli("add", "Ana lives in Leeds.", "--at", "2026-01-03")
    told = cli("add-fact", "Ana", "home", "Bath", "--from", "2026-02-01", "--to", "2026-05-01", "--json").json()
    assert [item["status"] for item in told["items"]] == ["stored", "superseded"]
    assert cells(cli("facts", "Ana", "--as-of", "2026-03").out)[1][2] == "Bath"
    assert cli("facts", "Ana", "--as-of", "2026-06").out == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add-fact", "Ana", "home", "Bath", "--from", "2026-02-01", "--to", "2026-01-01"), "--to 2026-01-01 does not lie after --from"),
        (("add-fact", "Ana", "home", "Bath", "--from", "soon"), "--from: not a time: 'soon'"),
        (("add-fact", "Ana", " ", "Bath"), "slot"),
        (("add-fact", "Ana · x", "home: y", "Bath"), "' · '"),
        (("facts", "--as-of", "soon"), "--as-of: not a time: 'soon'"),
        (("search", "home", "--known-at", "soon"), "--known-at: not a time: 'soon'"),
        (("search", "home", "--current", "--all"), "--current leaves out what --all asks for"),
    ],
)  # fmt: skip
def test_bad_input_is_named_by_its_option(cli, moved, arguments, said):
    """Exit code 2, in the words of the command line, as JSON too."""
    done = cli(*arguments)
    assert (done.code, said in done.err, done.out) == (2, True, "")
    assert '{"error": {"type": "InvalidInput"' in cli(*arguments, "--json").err


def test_contradictions_are_questions(cli):
    """A line a question, with the memories it is about; settled, it goes."""
    cli("add", "我的生日是6月9日。", "--at", "2026-01-03")
    assert (cli("clarifications").out, cli("clarifications").err) == ("", "nothing contradicts anything\n")
    pointer = cli("add", "我的生日是7月8日。", "--at", "2026-02-03", "--json").json()["pointer"]
    (line,) = cli("clarifications").out.splitlines()
    assert f"[m:{pointer}]" in line
    (told,) = cli("clarifications", "--json").json()["clarifications"]
    assert (told["slot"], told["values"], told["question"]) == ("birthday", ["6月9日", "7月8日"], line)
    cli("delete", pointer)
    assert cli("clarifications", "--json").json() == {"clarifications": []}


def test_search_marks_what_no_longer_holds(cli, moved):
    """The line names what overtook it; --current leaves it out."""
    lines = cli("search", "Leeds Bath", "--all").out.splitlines()
    assert [line.partition("(superseded by ")[2] for line in lines if "[m:leeds]" in line] == ["[m:bath])"]
    assert [hit["pointer"] for hit in cli("search", "Leeds Bath", "--current", "--json").json()["hits"]] == ["bath"]


def test_search_and_recall_look_back(cli, moved):
    """As of February it was Leeds; nothing had been told to us by 2020."""
    assert [hit["pointer"] for hit in cli("search", "Leeds Bath", "--as-of", "2026-02", "--json").json()["hits"]] == [
        "leeds"
    ]
    assert "Leeds" in cli("recall", "Do I live in Leeds?", "--as-of", "2026-02").out
    assert cli("recall", "Do I live in Leeds?", "--known-at", "2020").out == ""


def test_search_keeps_to_a_subject(cli, moved):
    """Only memories that state a fact of Ana."""
    cli("add", "Ana lives in Leeds.")
    assert [hit["text"] for hit in cli("search", "Leeds", "--subject", "Ana", "--json").json()["hits"]] == [
        "Ana lives in Leeds."
    ]


def test_search_says_where_nothing_was_said_in_the_time_asked_for(cli, moved):
    """A remark on stderr beside the hits; none where the time fits or none is named."""
    done = cli("search", "Leeds last week", "--at", "2026-05-01")
    assert ("Leeds" in done.out, done.err) == (True, "nothing was said in the time asked for (last week)\n")
    assert cli("search", "Leeds in January", "--at", "2026-05-01").err == ""
    assert cli("search", "Leeds").err == ""
