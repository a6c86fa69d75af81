"""The command line: `zeromem COMMAND …`. This file puts the commands together; `main` is the entry point.

In: arguments, the environment (`ZEROMEM_*`), standard input. Out: results on stdout, remarks and errors on stderr, and an exit
code: 0 ok, 1 not found or problems found by verify, 2 bad input or usage, 3 the store cannot be read or written, 4 the store or
the model is busy, 130 stopped by Ctrl-C. Output is UTF-8 in every locale. The commands stand in `cli_read.py`, `cli_write.py`,
`cli_brief.py`, `cli_chat.py`, `cli_facts.py`, `cli_forget.py`, `cli_upkeep.py`, `cli_transfer.py` and `demo.py`.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import sys
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command

import zeromem
from zeromem.surfaces import (
    cli_brief,
    cli_chat,
    cli_facts,
    cli_forget,
    cli_read,
    cli_transfer,
    cli_upkeep,
    cli_write,
    demo,
)
from zeromem.surfaces.cli_call import SHARED, close_pipe, declare, mended, shared_parameters
from zeromem.surfaces.wire import BAD_INPUT, INTERRUPTED, dump

HELP = """Long-term memory for LLM agents, in one file: everything is kept, only what matters is recalled.

Example: zeromem add "I am allergic to almonds."

Example: zeromem recall "Is there any food I must not eat?" --explain

Exit codes: 0 ok; 1 not found, or problems found by verify; 2 bad input or usage; 3 the store cannot be read or written;
4 the store or the model is busy, try again; 130 stopped by Ctrl-C.
"""
# typer carries its own copy of click in newer versions; its base class of usage errors is found through what it exports.
_USAGE_ERROR: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
_ORDER = (
    "demo", "add", "recall", "ask", "brief", "search", "get", "expand", "resolve", "list", "messages", "history", "facts", "add-fact",
    "clarifications", "update", "correct", "delete", "delete-source", "restore", "undo", "forget", "pin", "standing",
    "close-session", "retain", "maintain", "review", "compress", "feedback", "import", "export", "stats", "scopes", "verify", "reindex", "reset",
)  # fmt: skip

_HELP = ("-h", "--help")
_VALUED = frozenset(f"--{name}" for name in SHARED if name != "as_json")  # options with a value before the command

# What rich takes for a mark of its own, as its `escape` knows it: a pointer in a help text looks like one.
_MARK = re.compile(r"\[[a-z#/@][^\[]*?\]")

app = typer.Typer(
    name="zeromem",
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": list(_HELP)},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"zeromem {zeromem.__version__}")
        raise typer.Exit


def _callback(ctx: typer.Context, **given: Any) -> None:
    """Keep the options that stand before the command for `command` in `cli_call.py`."""
    given.pop("version")
    ctx.obj = given


def _declare() -> None:
    version = inspect.Parameter(
        "version",
        inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[
            bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
        ],
        default=False,
    )
    parameters = [*shared_parameters(), version]
    context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    declare(_callback, [context, *parameters])
    app.callback()(_callback)
    commands = [
        found
        for part in (cli_brief, cli_chat, cli_read, cli_write, cli_facts, cli_forget, cli_upkeep, cli_transfer, demo)
        for found in part.app.registered_commands
    ]
    app.registered_commands += sorted(commands, key=lambda found: _ORDER.index(str(found.name)))


_declare()


def commands(given: Sequence[str] = ()) -> Any:
    """The commands as click runs them, every help text printed as it is written. Of a command line that names one, only that one is made:
    all of them take as long as a recall."""
    named = _named(given)
    some = copy(app)
    some.registered_commands = [one for one in app.registered_commands if one.name == named] or app.registered_commands
    group: Any = get_command(some)
    for part in (group, *group.commands.values()):
        if part.rich_markup_mode == "rich":
            for told in (part, *part.params):
                told.help = _MARK.sub(r"\\\g<0>", told.help) if getattr(told, "help", None) else None
    return group


def _named(given: Sequence[str]) -> str | None:
    """The command that a command line names, behind the options of every command; nothing where help is asked for before it."""
    rest = iter(given)
    for word in rest:
        if word in _HELP or not word.startswith("-"):
            return word
        if word in _VALUED:
            next(rest, None)
    return None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command line (default: this process's) and leave with its exit code."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller (`>&-`)
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - for the life of the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    given = [mended(text) for text in (sys.argv[1:] if arguments is None else arguments)]
    code = _run(given)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        close_pipe()
    sys.exit(code)


def _run(given: list[str]) -> int:
    try:
        code = commands(given).main(args=given, prog_name="zeromem", standalone_mode=False)
    except _USAGE_ERROR as error:
        if "--json" in given:
            print(dump({"error": {"type": "UsageError", "message": error.format_message()}}), file=sys.stderr)
        else:
            error.show()
        return BAD_INPUT
    except typer.Abort:
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    main()
