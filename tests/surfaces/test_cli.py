"""The command line: in one process for most behaviours, as a real process where locale, pipes and signals matter."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest
from typer.main import get_command

from zeromem import Memory
from zeromem.settings import Settings
from zeromem.store.connection import connect
from zeromem.surfaces.cli import app, commands
from zeromem.surfaces.demo import Answer, Demo
from zeromem.surfaces.demo_text import show

KEY = "门口的钥匙在花盆下"


def process(*arguments: str | bytes, db: Path, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess:
    """A real process; `environment` comes on top of a nearly empty one."""
    env = {
        name: os.environ[name]
        for name in ("PATH", "PYTHONPATH", "HOME", "SYSTEMROOT", "COVERAGE_PROCESS_START")
        if name in os.environ
    }
    env |= {"ZEROMEM_DB": str(db), "ZEROMEM_EMBEDDER": "none", **environment}
    command = [sys.executable, "-m", "zeromem", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, env=env, timeout=120)


def messages(path: Path, count: int) -> Path:
    lines = [
        {
            "session": f"s{i // 10}",
            "at": f"2026-01-01T10:{i % 60:02d}:00+00:00",
            "role": "user",
            "content": f"note 第{i}号 kept",
        }
        for i in range(count)
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


# -- add, search, recall


def test_add_then_search_then_recall(cli):
    """What was added is found at once, by search and by recall, and has a pointer."""
    added = cli("add", KEY, "--session", "home", "--json")
    assert (added.code, added.json()["items"][0]["status"]) == (0, "stored")
    assert "花盆" in cli("search", "钥匙").out
    recalled = cli("recall", "钥匙在哪里？", "--json").json()
    assert [card["text"] for card in recalled["cards"]] == [KEY]
    assert recalled["cards"][0]["pointer"] == added.json()["pointer"]
    assert recalled["tokens"] <= recalled["budget"] == 800


def test_scope_options_stand_before_or_after_the_command(cli):
    """`--user ana add …` and `add … --user ana` are the same; after the command wins."""
    cli("--user", "ana", "add", "tea with milk")
    cli("add", "tea with lemon", "--user", "ben")
    cli("--user", "ana", "add", "tea without anything", "--user", "ben")
    assert [card["text"] for card in cli("list", "--user", "ana", "--json").json()["cards"]] == ["tea with milk"]
    assert len(cli("--json", "list", "--user", "ben").json()["cards"]) == 2


def test_json_flattens_the_scope_and_is_not_escaped(cli):
    """A card's scope is four plain keys; Chinese stands in the output as itself; engine internals are left out."""
    cli("add", KEY, "--agent", "butler", "--tenant", "house", "--session", "s1")
    done = cli("list", "--agent", "butler", "--tenant", "house", "--json")
    card = done.json()["cards"][0]
    assert {name: card[name] for name in ("user", "agent", "session", "tenant")} == {
        "user": None, "agent": "butler", "session": "s1", "tenant": "house",
    }  # fmt: skip
    assert KEY in done.out
    assert not {"scope", "parts", "row", "born", "head_tokens"} & card.keys()


def test_add_takes_time_role_metadata_and_source(cli):
    """The options of add arrive: a JSON value keeps its type, and the same source adds nothing."""
    options = ("--at", "2026-02-03T04:05:06+08:00", "--role", "assistant", "--metadata", "n=3", "-m", "topic=visa",
               "--source-id", "mail-1")  # fmt: skip
    pointer = cli("add", "the visa centre opens at nine", *options, "--json").json()["pointer"]
    card = cli("get", pointer, "--json").json()
    wanted = {
        "at": "2026-02-03T04:05:06+08:00",
        "role": "assistant",
        "metadata": {"n": 3, "topic": "visa"},
        "source_id": "mail-1",
    }
    assert {name: card[name] for name in wanted} == wanted
    assert cli("add", "the visa centre opens at nine", *options, "--json").json()["items"][0]["status"] == "duplicate"
    cli("add", "the visa centre opens at ten", "--source-id", "mail-1", "--replace")
    assert [c["text"] for c in cli("list", "--json").json()["cards"]] == ["the visa centre opens at ten"]


def test_a_role_that_is_none_is_an_error(cli):
    """A typing error is no new role; the message names the right one."""
    done = cli("add", "tea", "--role", "usr")
    assert (done.code, "did you mean user?" in done.err) == (2, True)
    assert "developer" in cli("add", "tea", "--role", "").err


def test_a_document_is_cut_at_its_headings(tmp_path):
    """From standard input, with a source that changes: unchanged sections stay, the others are superseded."""
    told = []
    for lamp in ("green", "yellow"):
        text = f"# House\n\n## Lamp\n\nThe lamp is {lamp}.\n\n## Kettle\n\nThe kettle is red.\n".encode()
        added = process(
            "add", "-", "--document", "--source-id", "n", "--replace", "--json", db=tmp_path / "m.db", stdin=text
        )
        told.append([(item["status"], item["text"].split()[-1]) for item in json.loads(added.stdout)["items"]])
    assert told[0][-2:] == [("stored", "green."), ("stored", "red.")]
    assert ("stored", "yellow.") in told[1]
    assert ("superseded", "green.") in told[1]
    assert ("duplicate", "red.") in told[1]


def test_a_changed_file_is_imported_in_place_of_the_old_one(cli, tmp_path):
    """The table says what stayed and what went."""
    path = tmp_path / "n.md"
    for lamp in ("green", "yellow"):
        path.write_text(f"# House\n\n## Lamp\n\nThe lamp is {lamp}.\n\n## Kettle\n\nThe kettle is red.\n", "utf-8")
        done = cli("import", str(path))
    assert re.search(r"unchanged +[12]  the file still says it", done.out)
    assert re.search(r"superseded +1  the file says it no longer", done.out)
    assert "green" not in cli("search", "lamp").out


def test_filters_narrow(cli):
    """`--filter` takes key=value and the JSON language; several must all hold."""
    for n in (1, 5, 9):
        cli("add", f"parcel number {n}", "-m", f"n={n}", "-m", "topic=post")
    found = cli(
        "list", "--filter", '{"n": {"gte": 2}}', "--filter", '{"n": {"lte": 8}}', "--filter", "topic=post", "--json"
    )
    assert [card["text"] for card in found.json()["cards"]] == ["parcel number 5"]
    assert cli("search", "parcel", "--filter", '{"n": {"about": 2}}').code == 2


def test_expand_gives_the_exact_words(cli):
    """`expand --raw` prints the stored text and nothing else; without it every event is named."""
    text = "  two  spaces,\ta tab\nand a line\n"
    pointer = cli("add", text, "--json").json()["pointer"]
    assert cli("expand", pointer, "--raw").out == text
    assert cli("expand", f"[m:{pointer}]", "--json").json()["events"][0]["text"] == text


def test_update_history_delete(cli):
    """An update is a new version, a delete a tombstone; history keeps the chain; the deleted one is not found."""
    pointer = cli("add", "coffee black", "--json").json()["pointer"]
    assert cli("update", pointer, "coffee with oat milk").code == 0
    assert cli("delete", pointer).code == 0
    told = cli("history", pointer, "--json").json()["history"]
    assert [(c["event"], c["old"], c["new"]) for c in told] == [
        ("ADD", None, "coffee black"),
        ("UPDATE", "coffee black", "coffee with oat milk"),
        ("DELETE", "coffee with oat milk", None),
    ]
    assert cli("get", pointer).code == 1


def test_correct_undo_restore(cli):
    """A correction finds its memory by words; undo takes it back; a deleted memory comes back; a moment too."""
    cli("add", "The gate code is 1111.")
    assert cli("correct", "gate code", "The gate code is 2222.").out.startswith("stored      [m:gate]")
    moment = cli("history", "gate", "--json").json()["history"][0]["at"]
    told = cli("history", "gate").out.splitlines()
    assert [line.split()[2] for line in told] == ["created", "updated"] and "user, added" in told[0]
    assert cli("undo").out.endswith("The gate code is 1111.  (restored as version 3)\n")
    assert cli("undo", "--json").json()["items"][0]["text"] == "The gate code is 2222."
    cli("delete", "gate")
    assert cli("restore", "gate", "--json").json()["pointer"] == "gate"
    assert cli("restore", "gate").code == 2
    cli("restore", "--at", moment, "--yes")
    assert "1111" in cli("get", "gate").out
    assert cli("restore", "--at", "2999-01-01", "--yes").out == "nothing was otherwise then\n"
    assert cli("correct", "umbrella", "x").code == 1
    assert cli("undo", "--user", "nobody").code == 1


def test_forget_asks_and_proves(cli, tmp_path):
    """Without --yes nothing goes where nobody answers; a dry run shows the texts; after it no byte is left, and JSON says so."""
    cli("add", "The vault opens with marzipan.", "--session", "s", "--source-id", "d")
    cli("add", "Bread is at the baker's.")
    refused = process("forget", "vault marzipan", db=tmp_path / "m.db")
    assert refused.returncode == 2 and b"nothing was forgotten; --yes forgets without asking" in refused.stderr
    assert b"would go: The vault opens with marzipan." in refused.stderr
    assert cli("forget", "vault marzipan", "--json").code == 2
    shown = cli("forget", "--source-id", "d", "--dry-run", "--json").json()
    assert (shown["events"], shown["texts"], shown["proof"]) == (1, ["The vault opens with marzipan."], None)
    told = cli("forget", "--session", "s", "--yes", "--json").json()
    assert (told["done"], told["proof"]["proved"], told["proof"]["left"], told["texts"]) == (True, True, 0, [])
    assert all(b"marzipan" not in file.read_bytes() for file in tmp_path.glob("*.db*"))
    assert cli("forget", "vault marzipan", "--yes").code == 1
    assert cli("forget").code == 2
    done = cli("forget", "--all", "--yes")
    assert done.out.startswith("erased 1 event and 1 memory") and "none is left" in done.out
    assert cli("list").out == ""


def test_delete_of_several_is_all_or_nothing(cli):
    """With one unknown pointer among several nothing is deleted."""
    pointer = cli("add", "coffee black", "--json").json()["pointer"]
    assert cli("delete", pointer, "unheard-of").code == 1
    assert cli("get", pointer).code == 0


def test_delete_all_wants_yes(cli):
    """Without --yes and with nobody to ask, --all deletes nothing; with it, only the scope."""
    cli("add", "one"), cli("add", "two", "--user", "ben")
    assert cli("delete", "--all", "--json").code == 2
    assert cli("delete", "--all", "--yes", "--json").json() == {"deleted": 1}
    assert len(cli("list", "--user", "ben", "--json").json()["cards"]) == 1


def test_feedback_raises_the_use_rate(cli):
    """A recall that is told to have helped counts in the stats."""
    cli("add", "I take my coffee black")
    context = cli("recall", "how do I take my coffee?", "--json").json()
    told = cli(
        "feedback", context["id"], "--used", context["cards"][0]["pointer"], "--outcome", "good", "--json"
    ).json()
    assert (told["used"], told["outcome"]) == ([context["cards"][0]["pointer"]], 1.0)
    stats = cli("stats", "--json").json()
    assert (stats["recalls"], stats["use_rate"], stats["feedback"]) == (1, 1.0, 1)
    assert cli("feedback", "x-unknown").code == 1


def test_messages_in_order(cli):
    """`messages` gives what was said in a session, in order."""
    for text in ("first", "第二", "third"):
        cli("add", text, "--session", "s")
    cli("add", "elsewhere", "--session", "t")
    told = cli("messages", "--session", "s", "--limit", "2", "--json").json()["messages"]
    assert [event["text"] for event in told] == ["第二", "third"]


def test_a_session_is_a_wall_only_where_asked(cli):
    """Search and recall see every session; --within-session keeps them to the one named, and needs it."""
    cli("add", "the lamp is green", "--session", "a")
    cli("add", "the lamp in the hall is red", "--session", "b")
    for i in range(5):  # more than the last turns, which recall leaves out
        cli("add", f"step {i} of the stairs creaks", "--session", "b")
    for verb in (("search", "lamp"), ("recall", "Which colour is the lamp?", "--budget", "400")):
        assert {"green", "red"} <= set(cli(*verb, "--session", "c").out.split())
        within = cli(*verb, "--session", "b", "--within-session").out
        assert ("red" in within.split(), "green" in within.split()) == (True, False)
        assert cli(*verb, "--within-session").code == 2
    assert "at most 800" in re.sub(r"[\s│]+", " ", cli("recall", "--help").out)


def test_errors_speak_in_options(cli, tmp_path):
    """What a message tells to do can be typed on the command line."""
    cli("add", "tea with milk", "--source-id", "d")
    assert "--replace takes" in cli("add", "tea with lemon", "--source-id", "d").out
    assert "--replace needs --source-id" in cli("add", "tea", "--replace").err
    assert "`zeromem list`" in cli("search", " ").err
    (tmp_path / "g.txt").write_bytes("护照在书桌的蓝色文件夹里，钥匙在门口。".encode("gb18030"))
    assert "use --encoding gb18030" in cli("import", str(tmp_path / "g.txt")).err
    pointer = cli("list", "--json").json()["cards"][0]["pointer"]
    assert f"did you mean [m:{pointer}]?" in cli("get", pointer + "s").err
    cli("delete", pointer)
    for verb in ("get", "expand"):
        done = cli(verb, pointer)
        assert (done.code, f"`zeromem history {pointer}`" in done.err, "was deleted" in done.err) == (1, True, True)


@pytest.mark.parametrize("verb", [("list",), ("messages",), ("search", "tea"), ("recall", "Which tea?")])
def test_an_empty_scope_is_told_from_an_empty_answer(cli, verb):
    """For an owner of whom nothing is known, stderr says so and counts the others, without their names."""
    cli("add", "tea with milk", "--user", "ana")
    cli("add", "tea with lemon", "--user", "ben")
    done = cli(*verb, "--user", "anna")
    assert (done.code, done.out) == (0, "")
    assert "nothing is remembered for user 'anna' in " in done.err
    assert "holds 2 other owners" in done.err
    assert "ben" not in done.err
    assert "nothing is remembered" not in cli(*verb, "--user", "ana").err


def test_scopes_and_reset(cli):
    """Every owner is listed; reset asks, and erases the whole file."""
    cli("add", "tea with milk", "--user", "ana")
    cli("add", "tea with lemon", "--agent", "bot", "--tenant", "t")
    assert cli("scopes").out.splitlines() == ["user=ana", "tenant=t  agent=bot"]
    assert cli("scopes", "--json").json()["scopes"][0] == {"tenant": None, "user": "ana", "agent": None}
    assert cli("reset", "--json").code == 2
    assert len(cli("scopes").out.splitlines()) == 2
    assert cli("reset", "--yes").out.endswith(": erased 2 events\n")
    assert cli("scopes").out == ""


def test_pages_continue(cli):
    """The cursor of one page gives the next."""
    for i in range(5):
        cli("add", f"item {i}", "--at", f"2026-01-0{i + 1}")
    first = cli("list", "-n", "3", "--json").json()
    second = cli("list", "-n", "3", "--cursor", first["cursor"], "--json").json()
    assert [card["text"] for card in first["cards"] + second["cards"]] == [f"item {i}" for i in range(5)]
    assert second["cursor"] is None


def test_explain_draws_stages_and_candidates(cli):
    """`--explain` shows every stage with its counts, and every candidate with its scores and its fate."""
    for text in (
        "the blue key opens the cellar " + "and more words " * 20,
        "the red key opens the attic",
        "lunch at noon",
    ):
        cli("add", text)
    drawn = cli("recall", "which key opens the cellar?", "--explain").out
    for words in ("Stages", "propose", "ms", "Candidates", "keyword", "kept, ", "[m:attic]"):
        assert words in drawn
    drawn = cli("recall", "which key opens the cellar?", "--explain", "--budget", "45").out
    assert "kept, " in drawn and "tokens, " in drawn.partition("dropped: ")[2]


def test_acknowledgement_recalls_nothing(cli):
    """A recall that injects nothing prints nothing on stdout, and says why on stderr."""
    cli("add", KEY)
    done = cli("recall", "好的，谢谢！")
    assert (done.code, done.out) == (0, "")
    assert "nothing recalled" in done.err


def test_output_cannot_steer_the_terminal(cli):
    """Escape sequences in stored text are shown, not sent."""
    cli("add", "red \x1b[31malert\x07 words")
    for command in (("search", "alert"), ("list",), ("recall", "alert")):
        assert "\x1b" not in cli(*command).out


def test_lone_surrogates_are_escaped_not_lost(cli, tmp_path):
    """Text that UTF-8 cannot hold comes out escaped, in JSON and in an export that reads back the same."""
    with Memory.open(tmp_path / "m.db", embedder=None) as memory:
        memory.add("broken \ud83d half", user="me")
    assert cli("messages", "--json").json()["messages"][0]["text"] == "broken \ud83d half"
    assert cli("export", str(tmp_path / "x.jsonl")).code == 0
    assert cli("--db", str(tmp_path / "n.db"), "import", str(tmp_path / "x.jsonl")).code == 0
    assert (
        cli("--db", str(tmp_path / "n.db"), "messages", "--json").json()["messages"][0]["text"] == "broken \ud83d half"
    )


# -- errors and exit codes


@pytest.mark.parametrize(
    "arguments",
    [("recall", "x"), ("search", "x"), ("get", "x"), ("expand", "x"), ("list",), ("messages",), ("history", "x"), ("stats",),
     ("verify",), ("reindex",), ("export",), ("delete", "x"), ("update", "x", "y"), ("feedback", "x")],
)  # fmt: skip
def test_only_add_and_import_make_a_file(cli, tmp_path, arguments):
    """Every other command on a missing file is a store error that names the cure, and makes no file."""
    done = cli(*arguments, "--json")
    error = json.loads(done.err)["error"]
    assert (done.code, error["type"]) == (3, "StoreError")
    assert "zeromem add" in error["message"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (("get", "nothing"), 1, "NotFound"),
        (("search", " "), 2, "InvalidInput"),
        (("search", "x", "-k", "0"), 2, "InvalidInput"),
        (("recall", "x", "--budget", "-1"), 2, "InvalidInput"),
        (("list", "--user", " "), 2, "InvalidScope"),
        (("list", "--order", "size"), 2, "InvalidInput"),
        (("list", "--filter", "{"), 2, "InvalidFilter"),
        (("add", "x", "--metadata", "novalue"), 2, "InvalidInput"),
        (("add", "x", "--at", "someday"), 2, "InvalidInput"),
        (("import", "missing.jsonl"), 2, "InvalidInput"),
        (("search", "x", "-k", "many"), 2, "UsageError"),
        (("fly",), 2, "UsageError"),
        (("delete",), 2, "InvalidInput"),
    ],
)
def test_errors_are_json_with_their_code(cli, arguments, code, kind):
    """With --json an error is one JSON object on stderr, stdout stays empty, and the exit code says whose fault it is."""
    cli("add", "something")
    done = cli(*arguments, "--json")
    assert (done.code, json.loads(done.err)["error"]["type"], done.out) == (code, kind, "")


def test_errors_are_one_line_for_people(cli):
    """Without --json an error is one line, and no traceback."""
    cli("add", "something")
    assert cli("get", "nothing").err == "error: nothing is known as 'nothing' in this scope\n"


def test_foreign_file_is_a_store_error(cli, tmp_path):
    """A file of another program is refused with exit code 3 and stays as it is."""
    (tmp_path / "notes.txt").write_text("not a database, " * 100)
    assert cli("--db", str(tmp_path / "notes.txt"), "add", "x").code == 3
    assert (tmp_path / "notes.txt").read_text().startswith("not a database")


def test_busy_store_is_code_4(cli, tmp_path, monkeypatch):
    """A file that another process keeps locked is exit code 4: try again."""
    cli("add", "something")
    monkeypatch.setenv("ZEROMEM_BUSY_TIMEOUT", "0.05")
    other = connect(str(tmp_path / "m.db"), Settings())
    other.execute("BEGIN IMMEDIATE")
    assert cli("add", "more").code == 4
    other.execute("ROLLBACK")
    other.close()


def test_verify_finds_and_repairs(cli, tmp_path):
    """`verify` leaves with 1 while an index is wrong, and with 0 after --repair."""
    cli("add", "the blue key opens the cellar")
    connection = connect(str(tmp_path / "m.db"), Settings())
    connection.execute("DELETE FROM terms")
    connection.close()
    assert cli("verify").code == 1
    assert cli("verify", "--repair").code == 0
    assert cli("verify", "--json").json()["ok"] is True


def test_help_has_an_example_for_every_command():
    """Every command's help shows how it is called, and the main help documents the exit codes."""
    group = get_command(app)
    assert "Exit codes" in group.help
    assert [name for name, found in group.commands.items() if f"Example: zeromem {name}" not in found.help
            and "zeromem" not in found.help.partition("Example:")[2]] == []  # fmt: skip


def test_every_pointer_in_a_help_text_is_printed(cli):
    """No help text loses `[m:coffee]` to the markup of the terminal library."""
    group = get_command(app)
    found = 0
    for name, part in group.commands.items():
        written = re.findall(
            r"\[m:\w+\]", " ".join([part.help, *(getattr(p, "help", None) or "" for p in part.params)])
        )
        printed = re.sub(r"[\s│]+", "", cli(name, "--help").out)
        assert [pointer for pointer in written if pointer not in printed] == [], name
        found += len(written)
    assert found > 5


def test_version(cli):
    """--version prints the version and needs no command."""
    assert cli("--version").out.startswith("zeromem 0.")


# -- import and export


def test_export_then_import_is_identity(cli, tmp_path):
    """An export read into a fresh file exports the same; reading it again adds nothing."""
    pointer = cli("add", KEY, "--session", "s", "-m", "o=null", "--json").json()["pointer"]
    (
        cli("update", pointer, "门口的钥匙在信箱里"),
        cli("add", "plain English", "--user", "ben"),
        cli("add", "gone", "--source-id", "g"),
    )
    cli("delete", "--source-id", "g")
    assert cli("export", str(tmp_path / "a.jsonl"), "--all").code == 0
    other = ("--db", str(tmp_path / "n.db"))
    first = cli(*other, "import", str(tmp_path / "a.jsonl"), "--json").json()
    again = cli(*other, "import", str(tmp_path / "a.jsonl"), "--json").json()
    assert (first["added"] > 0, again["added"], again["skipped"]) == (True, 0, first["added"])
    assert cli(*other, "export", "-", "--all").out == (tmp_path / "a.jsonl").read_text(encoding="utf-8")
    assert KEY in (tmp_path / "a.jsonl").read_text(encoding="utf-8")


def test_import_again_adds_nothing(cli, tmp_path):
    """Messages carry source ids made of their content, so a second import skips all of them."""
    path = messages(tmp_path / "chat.jsonl", 30)
    first, again = cli("import", str(path), "--json").json(), cli("import", str(path), "--json").json()
    assert (first["added"], first["skipped"]) == (30, 0)
    assert (again["added"], again["skipped"]) == (0, 30)
    assert cli("stats", "--json").json()["events"] == 30


def test_import_of_a_broken_file_stores_nothing(cli, tmp_path):
    """A file is read through before the first write: the error names the line."""
    path = messages(tmp_path / "chat.jsonl", 3)
    path.write_text(path.read_text(encoding="utf-8") + "{broken\n", encoding="utf-8")
    done = cli("import", str(path))
    assert (done.code, "line 4" in done.err) == (2, True)
    assert cli("stats", "--json").json()["events"] == 0


def test_import_names_the_session_of_text_without_one(cli, tmp_path):
    """--session holds for files that name no session themselves; documents are found."""
    (tmp_path / "NOTE.TXT").write_text("\ufeff花园的水管在车库左边的架子上。", encoding="utf-8")
    cli("import", str(tmp_path / "NOTE.TXT"), "--session", "house")
    card = cli("search", "水管", "--json").json()["hits"][0]
    assert (card["session"], card["kind"], card["text"]) == ("house", "document", "花园的水管在车库左边的架子上。")


def test_other_encodings_are_refused_by_name(cli, tmp_path):
    """A GBK file is refused with the name of its encoding, and read with --encoding."""
    (tmp_path / "old.txt").write_bytes(("花园的水管在车库左边的架子上，" * 4).encode("gb18030"))
    done = cli("import", str(tmp_path / "old.txt"))
    assert (done.code, "gb18030" in done.err) == (2, True)
    assert cli("import", str(tmp_path / "old.txt"), "--encoding", "gb18030").code == 0
    assert "水管" in cli("search", "水管").out


def test_an_export_spares_files(cli, tmp_path):
    """Not over the database by any name, over a file only with --force, and the user's own files beside it stay."""
    cli("add", KEY)
    (tmp_path / "link").symlink_to(tmp_path / "m.db")
    for name in ("m.db", "m.db-wal", "link"):
        done = cli("export", str(tmp_path / name), "--force", "--json")
        assert (done.code, "open memory itself" in json.loads(done.err)["error"]["message"]) == (2, True)
    for name in ("x.jsonl", "x.jsonl.part"):
        (tmp_path / name).write_text("mine")
    assert (cli("export", str(tmp_path / "x.jsonl")).code, (tmp_path / "x.jsonl").read_text()) == (2, "mine")
    assert cli("export", str(tmp_path / "x.jsonl"), "--force", "--json").json()["records"] == 4
    assert (tmp_path / "x.jsonl.part").read_text() == "mine"
    assert "花盆" in cli("search", "钥匙").out


def test_an_import_says_what_became_of_every_line(cli, tmp_path):
    """Events, memories, repeats and lines without a memory, with reasons; and one warning for all lines without a time."""
    said = ("I live in Lyon.", "好的", "I live in Lyon.", " ")
    lines = [json.dumps({"role": "user", "content": text}, ensure_ascii=False) + "\n" for text in said]
    (tmp_path / "log.jsonl").write_text("".join(lines[:3]), encoding="utf-8")
    done = cli("import", str(tmp_path / "log.jsonl"), "--json")
    (told,) = done.json()["files"]
    assert (told["read"], told["added"], told["skipped"]) == (3, 3, 0)
    assert {name: count for name, count in told["counts"].items() if count} == {
        "new events": 3, "new memories": 1, "said before": 1, "without a memory": 1,
    }  # fmt: skip
    assert sum(told["reasons"].values()) == 1
    assert "3 messages without a time" in json.loads(done.err)["warning"] and "--at" in done.err
    (tmp_path / "log.jsonl").write_text("".join([*lines, lines[0]]), encoding="utf-8")
    grown = cli("import", str(tmp_path / "log.jsonl"), "--at", "2026-01-02")
    assert grown.err == ""
    assert re.search(r"new events +1\b", grown.out) and re.search(r"already there +4\b", grown.out), grown.out
    assert [event["at"][:4] for event in cli("messages", "--json").json()["messages"]][-1] == "2026"
    assert cli("stats", "--json").json()["events"] == 4


def test_an_import_of_an_export_counts_its_records(cli, tmp_path):
    """Headers, events, versions and links add up to the lines; a named user is a wall; a broken line leaves nothing."""
    cli("add", KEY)
    path = tmp_path / "x.jsonl"
    cli("export", str(path))
    other = ("--db", str(tmp_path / "n.db"))
    refused = cli(*other, "import", str(path), "--user", "ana")
    assert (refused.code, "line 2: it belongs to user='me'" in refused.err) == (2, True)
    assert cli(*other, "import", str(path), "--session", "s").code == 2
    (told,) = cli(*other, "import", str(path), "--json").json()["files"]
    counts = {"new events": 1, "new versions": 1, "new links": 1, "headers": 1}
    assert (told["read"], {name: count for name, count in told["counts"].items() if count}) == (4, counts)
    path.write_text(path.read_text().replace('"start": 0', '"start": -5'))
    done = cli("--db", str(tmp_path / "o.db"), "import", str(path))
    assert (done.code, "x.jsonl, line 4: field 'start' of the link" in done.err) == (2, True)
    assert cli("--db", str(tmp_path / "o.db"), "stats", "--all", "--json").json()["events"] == 0


def test_an_agent_alone_is_reached(cli, tmp_path):
    """--agent without --user is the agent's own memory; with --user both must match; neither means the default user."""
    with Memory.open(tmp_path / "m.db", embedder=None) as memory:
        memory.add("the valve is blue", agent="bot")
    assert [card["text"] for card in cli("list", "--agent", "bot", "--json").json()["cards"]] == ["the valve is blue"]
    assert cli("list", "--agent", "bot", "--user", "me", "--json").json()["cards"] == []
    assert cli("list", "--json").json()["cards"] == []


def test_explain_shows_the_recall_itself(cli):
    """The candidates are those of the recall's trace: also for messages, also under a gate that stays silent."""
    cli("add", "the blue key opens the cellar", "--session", "s1")
    cli("add", "the red key opens the attic", "--session", "s2")
    trace = cli("recall", "which key opens the cellar?", "--json").json()["trace"]
    (found,) = (step["detail"]["candidates"] for step in trace if step["stage"] == "fetch")
    assert list(found[0]["arms"]) == ["keyword"]
    assert {one["text"] for one in found} == {"the blue key opens the cellar", "the red key opens the attic"}
    # The window of the session takes its own card out of the recall; a search of its own would show it.
    drawn = cli("recall", "which key opens the cellar?", "--session", "s1", "--explain").out
    assert "Candidates, the best 1" in drawn and "cellar" not in drawn.partition("Candidates")[2]


def test_one_is_no_plural_and_names_stand_apart(cli):
    """`1 memory`, `1 candidate`, `1 card`; the session stands apart from the time; JSON begins with what it is."""
    cli("add", "the blue key opens the cellar", "--session", "k1", "--at", "2026-01-02")
    assert cli("list").out.partition("]")[2] == "  2026-01-02 00:00 · k1  user: the blue key opens the cellar\n"
    drawn = cli("recall", "which key opens the cellar?", "--explain")
    assert "1 memory, " in drawn.err and "1 candidate " in drawn.out and "1 card " in drawn.out
    assert not re.search(r"\b1 (memories|candidates|cards|tokens)", drawn.out + drawn.err)
    assert list(cli("recall", "which key opens the cellar?", "--json").json())[:3] == ["id", "tokens", "saved"]


@pytest.mark.parametrize("name", ["user", "agent", "session", "tenant"])
def test_a_blank_id_is_an_error_never_all(cli, name):
    """`--user ""` (an unset variable in a script) is bad input, before and after the command."""
    cli("add", KEY)
    for arguments in (("list", f"--{name}", ""), (f"--{name}", "", "list"), ("export", "-", f"--{name}", "")):
        done = cli(*arguments, "--json")
        assert (done.code, done.out, json.loads(done.err)["error"]["type"]) == (2, "", "InvalidScope")


def test_resolve_and_delete_source(cli):
    """`resolve` leads pointers to memories, with exit code 1 for strange ones; `delete-source` is the verb of that name."""
    pointer = cli("add", "the blue key opens the cellar", "--source-id", "d", "--json").json()["pointer"]
    assert "cellar" in cli("resolve", f"see [m:{pointer}]").out
    done = cli("resolve", f"see [m:{pointer}] [m:nobody]", "--json")
    assert (done.code, list(done.json()["cards"]), done.json()["unknown"]) == (1, [pointer], ["nobody"])
    assert cli("delete-source", "d", "--json").json() == {"deleted": 1}
    assert cli("delete-source", "d").code == 1


@pytest.mark.parametrize(
    "command", [("delete-source", "{}"), ("delete", "--source-id", "{}"), ("forget", "--source-id", "{}", "--yes")]
)
def test_a_source_is_named_by_its_file(cli, tmp_path, monkeypatch, command):
    """A document by its path as it was given to import, also when the file is gone; a chat log by what it holds; a stranger is none."""
    monkeypatch.chdir(tmp_path)
    Path("notes.md").write_text("# Keys\n\nThe blue key opens the cellar.\n", encoding="utf-8")
    messages(tmp_path / "chat.jsonl", 3)
    Path("other.jsonl").write_text('{"role":"user","content":"hello there, lamp"}\n', encoding="utf-8")
    cli("import", "notes.md", "chat.jsonl")
    Path("notes.md").unlink()
    for file, left in (("./notes.md", 3), ("chat.jsonl", 0)):
        assert cli(*(part.format(file) for part in command)).code == 0
        assert len(cli("list", "--json").json()["cards"]) == left
    for stranger in (
        ("notes.md", "chat.jsonl", "other.jsonl", "none.md", "-")
        if command[0] != "forget"
        else ("none.md", "other.jsonl")
    ):
        assert cli(*(part.format(stranger) for part in command)).code == 1


def test_forgetting_a_file_of_several_conversations_asks_which(cli, tmp_path):
    """What is erased is one source: the error names the ids."""
    path = messages(tmp_path / "chat.jsonl", 12)
    cli("import", str(path))
    done = cli("forget", "--source-id", str(path), "--yes")
    assert (done.code, "holds 2 conversations" in done.err) == (2, True)
    source = re.findall(r"file:[0-9a-f]+", done.err)[0]
    assert cli("forget", "--source-id", source, "--yes").code == 0 and len(cli("list", "--json").json()["cards"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [("add", "x", "-m", "a=" + "[" * 3000 + "]" * 3000), ("list", "--filter", '{"not":' * 3000 + "1" + "}" * 3000),
     ("list", "--filter", "a=" + "[" * 3000 + "]" * 3000), ("list", "--filter", '{"a": ' + "[" * 300 + "]" * 300 + "}")],
)  # fmt: skip
def test_deep_values_are_typed_errors(cli, arguments):
    """Nested beyond reason: bad input with its code, and no traceback."""
    cli("add", "something")
    done = cli(*arguments, "--json")
    assert (done.code, json.loads(done.err)["error"]["type"] in ("InvalidInput", "InvalidFilter")) == (2, True)


def test_deep_lines_name_their_place(cli, tmp_path):
    """Deep JSON in a file to import, whatever its format, is named with its line."""
    for name, text in (
        ("a.jsonl", '{"role":"user","content":"x","metadata":{"a":' + "[" * 300 + "]" * 300 + "}}\n"),
        ("b.jsonl", '{"type":"header","zeromem":1}\n{"type":' + "[" * 100_000 + "\n"),
        ("c.jsonl", '{"a":' * 100_000),
    ):
        (tmp_path / name).write_text(text)
        done = cli("import", str(tmp_path / name))
        assert (done.code, f"{name}, line " in done.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "value"), [("BUSY_TIMEOUT", "nan"), ("BUDGET", "-3"), ("USER", " "), ("EMBED_BATCH", "0")]
)
def test_bad_environment_is_bad_input(cli, monkeypatch, name, value):
    """A variable out of range is exit code 2 and names the variable."""
    monkeypatch.setenv(f"ZEROMEM_{name}", value)
    done = cli("list", "--json")
    assert (done.code, f"ZEROMEM_{name}" in json.loads(done.err)["error"]["message"]) == (2, True)


# -- as a process


@pytest.mark.parametrize(
    "environment",
    [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "cp936"}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}],
)
def test_chinese_in_any_locale(tmp_path, environment):
    """Arguments and output are UTF-8 whatever the locale says, also for users and file names."""
    db = tmp_path / "记忆.db"
    added = process("add", KEY, "--user", "王芳", "--json", db=db, **environment)
    assert (added.returncode, KEY in added.stdout.decode("utf-8")) == (0, True)
    found = process("search", "钥匙", db=db, ZEROMEM_USER="王芳", **environment)
    assert (found.returncode, "花盆" in found.stdout.decode("utf-8")) == (0, True)
    assert db.exists()
    piped = process("add", "-", db=db, stdin="管道里的文字".encode(), **environment)
    assert "管道里的文字" in piped.stdout.decode("utf-8")


def test_export_pipes_into_import(tmp_path):
    """`zeromem export - | zeromem import -` makes the same memory."""
    process("add", KEY, db=tmp_path / "a.db")
    exported = process("export", "-", "--all", db=tmp_path / "a.db")
    imported = process("import", "-", "--json", db=tmp_path / "b.db", stdin=exported.stdout)
    assert json.loads(imported.stdout)["added"] == 2
    assert process("export", "-", "--all", db=tmp_path / "b.db").stdout == exported.stdout


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_named_pipes_can_be_imported_and_exported(tmp_path):
    """`zeromem import <(…)` reads a pipe, which can be read only once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = messages(tmp_path / "chat.jsonl", 3).read_text(encoding="utf-8")
    writer = subprocess.Popen([sys.executable, "-c", f"open({str(pipe)!r}, 'w', encoding='utf-8').write({text!r})"])
    done = process("import", str(pipe), "--json", db=tmp_path / "m.db")
    assert (writer.wait(timeout=30), json.loads(done.stdout)["added"]) == (0, 3)
    assert process("export", "/dev/stdout", "--json", db=tmp_path / "m.db").stdout.count(b"\n") > 6


def test_nobody_to_ask_deletes_nothing(tmp_path):
    """`delete --all` without a terminal and without --yes is bad input, and everything stays."""
    process("add", KEY, db=tmp_path / "m.db")
    done = process("delete", "--all", db=tmp_path / "m.db")
    assert (done.returncode, b"--yes" in done.stderr) == (2, True)
    assert "花盆" in process("list", db=tmp_path / "m.db").stdout.decode("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one child")
def test_interrupted_import_leaves_a_usable_store(tmp_path):
    """Ctrl-C in the middle of an import: exit code 130, what is done is told, and a second run adds just the rest."""
    path = messages(tmp_path / "chat.jsonl", 6000)
    env = {**os.environ, "ZEROMEM_DB": str(tmp_path / "m.db"), "ZEROMEM_EMBEDDER": "none"}
    command = [sys.executable, "-m", "zeromem", "import", str(path), "--json"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    until = time.monotonic() + 60
    while time.monotonic() < until and not _events(tmp_path / "m.db"):
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    told = json.loads(out)
    assert (running.returncode, told["stopped"], err) == (130, True, b"")
    assert 0 < told["added"] < 6000
    rest = process("import", str(path), "--json", db=tmp_path / "m.db")
    assert json.loads(rest.stdout)["added"] + told["added"] == 6000
    assert process("verify", db=tmp_path / "m.db").returncode == 0


def _events(path: Path) -> int:
    if not path.exists():
        return 0
    connection = connect(str(path), Settings())
    try:
        return connection.execute("SELECT count(*) FROM events").fetchone()[0]
    except Exception:  # the tables are not there yet
        return 0
    finally:
        connection.close()


def test_a_reader_that_leaves_is_no_error(tmp_path):
    """`zeromem export | head -1` ends without a traceback."""
    process("import", str(messages(tmp_path / "chat.jsonl", 2000)), db=tmp_path / "m.db")
    env = {**os.environ, "ZEROMEM_DB": str(tmp_path / "m.db"), "ZEROMEM_EMBEDDER": "none"}
    running = subprocess.Popen([sys.executable, "-m", "zeromem", "export", "--json"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=env)  # fmt: skip
    running.stdout.readline()
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    running.wait(timeout=60)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell's way to close streams")
@pytest.mark.parametrize("command", ["list", "expand {} --raw", "add - --json", "export"])
def test_closed_streams_are_no_crash(tmp_path, command):
    """Run without standard streams (`>&-`, as some daemons do), a command does its work without a traceback."""
    pointer = json.loads(process("add", KEY, "--json", db=tmp_path / "m.db").stdout)["pointer"]
    env = {**os.environ, "ZEROMEM_DB": str(tmp_path / "m.db"), "ZEROMEM_EMBEDDER": "none"}
    line = f"'{sys.executable}' -m zeromem {command.format(pointer)} <&- >&-"
    done = subprocess.run(line, shell=True, stderr=subprocess.PIPE, env=env, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one child")
@pytest.mark.parametrize("command", ["add", "recall", "import", "resolve"])
def test_ctrl_c_while_waiting_for_input(tmp_path, command):
    """Stopped while it reads standard input: exit code 130, one JSON error, no traceback."""
    process("add", KEY, db=tmp_path / "m.db")
    env = {**os.environ, "ZEROMEM_DB": str(tmp_path / "m.db"), "ZEROMEM_EMBEDDER": "none"}
    script = "import sys; from zeromem.surfaces.cli import main; print('ready', file=sys.stderr, flush=True); main()"
    running = subprocess.Popen([sys.executable, "-c", script, command, "-", "--json"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)  # fmt: skip
    assert running.stderr.readline() == b"ready\n"
    time.sleep(1)  # long enough to stand in the read; earlier would be as good
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, b"Traceback" in err + out) == (130, False)
    assert json.loads(err or out)


def test_recall_loads_nothing_heavy(tmp_path):
    """A recall imports neither the tokenizer, rich nor asyncio: each would take longer than the recall."""
    process("add", KEY, db=tmp_path / "m.db")
    script = (
        "import sys\nfrom zeromem.surfaces.cli import main\n"
        "try: main(['recall', '钥匙在哪里'])\nexcept SystemExit: pass\n"
        "print([name for name in ('bpe_openai', 'rich', 'asyncio', 'pydantic', 'openai') if name in sys.modules])"
    )
    env = {**os.environ, "ZEROMEM_DB": str(tmp_path / "m.db"), "ZEROMEM_EMBEDDER": "none"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, env=env, timeout=60)
    assert done.stdout.decode("utf-8").splitlines()[-1] == "[]"


# -- the demo


@pytest.fixture(scope="module")
def demo() -> dict:
    """The demo as a process with the default embedder, once for all tests that look at it."""
    done = process("demo", "--json", db=Path("unused.db"), ZEROMEM_EMBEDDER="auto")
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


def test_demo_recalls_what_answers(demo):
    """The context of every question holds the words that answer it, for far fewer tokens than the history."""
    told = json.loads((files("zeromem.demo") / "questions.json").read_text(encoding="utf-8"))
    for answer, asked in zip(demo["answers"], told["questions"], strict=True):
        assert answer["question"] == asked["question"]
        assert [words for words in asked["expect"] if words not in answer["context"]["text"]] == []
        assert answer["context"]["tokens"] < demo["full_tokens"] / 3
    assert [answer["in_last_ten"] for answer in demo["answers"]].count(False) >= 3


def test_demo_stays_silent_where_nothing_is_asked(demo):
    """The two messages that need no memory get no token."""
    assert [answer["context"]["tokens"] for answer in demo["silent"]] == [0, 0]


def test_demo_leads_back_to_the_exact_words(demo):
    """The expanded pointer is the sample's text, byte for byte."""
    assert demo["exact"] is True


def test_demo_names_only_what_is_missing(capsys, open_memory):
    """A context without one of the words of an answer names that one, and not those inside."""
    memory = open_memory(embedder="none")
    memory.add("The train is G7351.", user="u")
    context = memory.recall("Which train is it?", user="u", budget=200)
    answer = Answer("Which train is it?", "en", context, ("G7351", "08:38"), False, False, ())
    expanded = memory.expand(context.cards[0].pointer)
    show(Demo(1, 1, 9, 9, (answer,), (), expanded, True), None, "u")
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("answer")]
    assert "MISSING: “08:38” (" in line and "G7351" not in line


def test_demo_prints_the_answers(tmp_path):
    """For people the same words stand in the output, with the table of tokens."""
    done = process("demo", db=tmp_path / "unused.db")
    text = done.stdout.decode("utf-8")
    assert done.returncode == 0
    for words in ("PF-40927", "G7351", "Tokens in the prompt", "whole history"):
        assert words in text
    assert not (tmp_path / "unused.db").exists()


@pytest.mark.parametrize(
    "line",
    ["recall x", "--db list recall list", "--db=list --json recall -h", "--user me --session s recall --user=list"],
)
def test_only_the_command_that_is_named_is_made(line):
    """All of them take as long as a recall."""
    assert list(commands(line.split()).commands) == ["recall"]


@pytest.mark.parametrize("line", ["", "-h", "--help recall", "recal list", "--json", "--db recall", "--version"])
def test_without_a_command_all_are_made(line):
    """Help lists every command, and what is mistyped is compared with all."""
    assert len(commands(line.split()).commands) == len(app.registered_commands) > 30
