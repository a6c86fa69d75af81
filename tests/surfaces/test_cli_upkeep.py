"""Keeping house on the command line: what moved, how a memory stands, pins, retentions, closed sessions."""

from __future__ import annotations


def test_upkeep_tells_what_it_moved(cli):
    """A weak memory of long ago goes to the archive, a number stays; run again nothing moves."""
    cli("add", "We sat by the river for a while.", "--at", "2020-03-01")
    cli("add", "My locker code is 4471.", "--at", "2020-03-01")
    assert cli("maintain").out == "1 scope: 0 cards embedded, moved: 1 to archive\n"
    assert cli("maintain", "--json").json()["moved"] == {}
    told = cli("standing", "river").out
    assert "tier        archive" in told and "half-life   30 days" in told
    assert cli("standing", "locker", "--json").json()["tier"] == "long"
    assert "archived   upkeep, past 7 days, and weak (0.00)" in cli("history", "river").out


def test_a_pin_goes_on_and_off(cli):
    cli("add", "We sat by the river for a while.", "--at", "2020-03-01")
    assert "pinned" in cli("pin", "river").out
    assert cli("maintain", "--json").json()["moved"] == {}
    assert "no longer pinned" in cli("pin", "[m:river]", "--off").out
    assert cli("maintain", "--json").json()["moved"] == {"archive": 1}
    missing = cli("pin", "nothing")
    assert (missing.code, missing.out) == (1, "")


def test_retentions_are_listed_and_carried_out(cli):
    assert cli("retain", "message", "30", "--then", "delete").out.splitlines()[1].split() == [
        "user",
        "me",
        "message",
        "30",
        "days",
        "delete",
    ]
    cli("add", "We sat by the river for a while.", "--at", "2020-03-01")
    assert cli("maintain").out.splitlines()[1] == "their time was over: 1 deleted"
    assert cli("list").out == ""
    assert cli("retain", "--json").json()["retentions"][0]["action"] == "delete"
    cli("retain", "message", "--off")
    assert cli("retain").err == "nothing ends by its age: no retention is set\n"
    assert cli("retain", "message").code == 2
    assert cli("retain", "nonsense", "3").code == 2


def test_a_session_is_closed_with_key_points(cli):
    """每个要点成为一条笔记。"""
    cli("add", "We sat by the river for a while.", "--session", "s1")
    told = cli("close-session", "--session", "s1", "--save", "Ana took the flat", "--save", "安娜租了那套房")
    assert [line.split()[0] for line in told.out.splitlines()] == ["stored", "stored"]
    assert cli("get", "flat", "--json").json()["kind"] == "note"
    assert cli("close-session", "--session", "s1").err == "closed; no key point was saved\n"
    assert cli("close-session").code == 2


def test_presets_and_rules_come_from_the_environment(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("ZEROMEM_PRESET", "notes")
    assert cli("add", "Rivers are calm.", "--role", "assistant").out.startswith("ignored")
    monkeypatch.setenv("ZEROMEM_PRESET", "chatty")
    assert "preset must be one of assistant" in cli("list").err
    monkeypatch.delenv("ZEROMEM_PRESET")
    monkeypatch.setenv("ZEROMEM_RULES", str(tmp_path / "missing.toml"))
    assert "cannot be read" in cli("list").err
