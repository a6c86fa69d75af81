"""What all commands share: the options of every command, opening the memory, printing, errors and exit codes.

In: the options as typer gives them, before or after the command. Out: a `Call` for the command's body, which then speaks
through `call.answer`. No command lives here. Rich is imported only where something is drawn, for its import takes longer than a
recall.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Any, cast

import typer

from zeromem.errors import InvalidFilter, InvalidInput, StoreError, ZeromemError
from zeromem.memory import Memory
from zeromem.plural import counted
from zeromem.settings import Settings
from zeromem.surfaces.cli_text import spelled
from zeromem.surfaces.wire import IDS, INTERRUPTED, dump, failure
from zeromem.types import ScopeIds

_PANEL = "Options of every command (also before the command)"


def _option(name: str, metavar: str, text: str) -> Any:
    return Annotated[str | None, typer.Option(name, metavar=metavar, help=text, rich_help_panel=_PANEL)]


SHARED: Mapping[str, tuple[Any, Any]] = {
    "db": (_option("--db", "FILE", "The memory's file; else ZEROMEM_DB, else zeromem.db."), None),
    "user": (_option("--user", "ID", "Whose memory; without --user and --agent ZEROMEM_USER, else me."), None),
    "agent": (
        _option("--agent", "ID", "Only what belongs to this agent; without --user, of all its users and its own."),
        None,
    ),
    "session": (
        _option(
            "--session",
            "ID",
            "The conversation at hand: what add and import store belongs to it; list, messages, export and delete --all see it alone. "
            "recall and search see all sessions (recall leaves out its last turns); see --within-session.",
        ),
        None,
    ),
    "tenant": (_option("--tenant", "ID", "The customer or organisation."), None),
    "embedder": (_option("--embedder", "NAME", "auto, e5, fast or none; else ZEROMEM_EMBEDDER."), None),
    "as_json": (
        Annotated[bool, typer.Option("--json", help="One JSON document on stdout.", rich_help_panel=_PANEL)],
        False,
    ),
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the command line: where, for whom, and how to answer."""

    settings: Settings
    db: str
    ids: ScopeIds
    named: tuple[str, ...] = ()  # the ids that stand on the command line
    embedder: str = "auto"
    as_json: bool = False

    @contextlib.contextmanager
    def memory(self, *, create: bool = False) -> Iterator[Memory]:
        """The open memory. Only commands that store something make a file that is not there."""
        path = system_path(self.db)
        if not create and path != ":memory:" and not Path(path).exists():
            raise StoreError(
                f"{self.db} does not exist; `zeromem add` or `zeromem import` makes it, "
                "--db or ZEROMEM_DB names another file"
            )
        with Memory.open(path, embedder=self.embedder, settings=self.settings, background=False) as memory:
            for warning in memory.warnings:
                if not warning.startswith("dense:"):  # those stand in results and receipts
                    self.warn(warning)
            yield memory

    def note_empty(self, memory: Memory) -> None:
        """Say on stderr if nothing at all is remembered for this user or agent: the name may be mistyped."""
        ids: dict[str, Any] = {key: value for key, value in self.ids.items() if key != "session"}
        stats = memory.stats(**ids)
        if stats.cards or stats.events:
            return
        others = len(memory.scopes())
        whom = " ".join(f"{key} {value!r:.80}" for key, value in ids.items())
        self.note(f"nothing is remembered for {whom} in {self.db}; the file holds {counted(others, 'other owner')}")

    def answer(self, value: object, human: str | Callable[[], None] = "") -> None:
        """The result: JSON if wanted, else lines of text, or whatever `human` draws."""
        if self.as_json:
            print(dump(value))
        elif callable(human):
            human()
        elif human:
            print(human, end="" if human.endswith("\n") else "\n")

    def note(self, text: str) -> None:
        """A remark beside the result, on stderr, so that stdout can be piped on."""
        if not self.as_json:
            print(text, file=sys.stderr)

    def warn(self, text: str) -> None:
        print(dump({"warning": text}) if self.as_json else f"warning: {text}", file=sys.stderr)


def call_of(given: Mapping[str, Any]) -> Call:
    """A call from the shared options; the environment stands behind them."""
    settings = Settings.from_environment()
    ids: dict[str, Any] = {name: given[name] for name in IDS if given.get(name) is not None}
    return Call(
        settings=settings,
        db=mended(settings.db) if given.get("db") is None else given["db"],
        # An agent's own memories belong to no user, and a user that nobody named must not hide them.
        ids=cast(ScopeIds, ids if {"user", "agent"} & ids.keys() else {"user": mended(settings.user), **ids}),
        named=tuple(ids),
        embedder="auto" if given.get("embedder") is None else given["embedder"],
        as_json=bool(given.get("as_json")),
    )


def command(app: typer.Typer, name: str, **kwargs: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register `body(call, …)` as a command that also takes the shared options and ends with the right exit code."""

    def register(body: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(body, eval_str=True).parameters.values())[1:]

        def run(ctx: typer.Context, **given: Any) -> None:
            before: Mapping[str, Any] = ctx.obj or {}
            after = {key: given.pop(key) for key in SHARED}
            # A blank id is given, and an error; only what is not given is taken from before the command.
            shared = {key: before.get(key) if value in (None, False) else value for key, value in after.items()}
            with errors(as_json=bool(shared["as_json"])):
                body(call_of(shared), **given)

        context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
        declare(run, [context, *own, *shared_parameters()])
        run.__name__, run.__doc__ = body.__name__, body.__doc__
        app.command(name, **kwargs)(run)
        return body

    return register


def declare(function: Callable[..., None], parameters: list[inspect.Parameter]) -> None:
    """Give a function the signature that typer reads its options from."""
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def shared_parameters() -> list[inspect.Parameter]:
    kind = inspect.Parameter.KEYWORD_ONLY
    return [inspect.Parameter(n, kind, annotation=a, default=d) for n, (a, d) in SHARED.items()]


@contextlib.contextmanager
def errors(*, as_json: bool) -> Iterator[None]:
    """Print an error where it belongs and leave with its exit code. What is no expected error passes through."""
    try:
        yield
    except BrokenPipeError:
        close_pipe()
    except (ZeromemError, OSError) as error:
        code, told = failure(error)
        message = told["error"]["message"] = spelled(str(error))
        print(dump(told) if as_json else f"error: {message}", file=sys.stderr)
        raise typer.Exit(code) from None
    except KeyboardInterrupt:
        print(dump({"error": {"type": "KeyboardInterrupt", "message": "stopped"}}) if as_json else "stopped",
              file=sys.stderr)  # fmt: skip
        raise typer.Exit(INTERRUPTED) from None


def close_pipe() -> None:
    """The reader of our output has left (`zeromem export | head`): end without a word."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def mended(text: str) -> str:
    """What the locale could not read, read as UTF-8: under `LC_ALL=C` Python gives Chinese arguments as lone surrogates."""
    if text.isascii() or not any("\udc80" <= char <= "\udcff" for char in text):
        return text
    return os.fsencode(text).decode("utf-8", "surrogateescape")


def system_path(path: str) -> str:
    """The inverse of `mended` for file names: as the operating system interface wants them in this locale."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return os.fsdecode(path.encode("utf-8", "surrogateescape"))
    return path


def standard_input() -> str:
    """All of standard input as text: UTF-8, or what its byte-order mark says. Raises InvalidInput for anything else."""
    from zeromem.transfer.encoding import read_text  # only where something is read

    stream: IO[Any] = getattr(sys.stdin, "buffer", sys.stdin)
    return read_text(stream, None, "standard input")  # type: ignore[arg-type]


def pairs(given: list[str] | None, name: str) -> dict[str, Any] | None:
    """`key=value` options as a dict. A value that is JSON is taken as such, so that `n=3` is a number."""
    if not given:
        return None
    out: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not key.strip() or not equals:
            raise InvalidInput(f"{name}: give key=value, not {text!r:.80}")
        out[key.strip()] = _value(value)
    return out


def filters(given: list[str] | None) -> dict[str, Any] | None:
    """`--filter` options, each `key=value` or a JSON object of the filter language; all of them must hold."""
    tests = [_object(text) if text.lstrip().startswith("{") else pairs([text], "--filter") for text in given or ()]
    if len(tests) < 2:
        return tests[0] if tests else None
    return {"and": tests}


def _object(text: str) -> dict[str, Any]:
    try:
        value: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidFilter(f"--filter: JSON that cannot be read ({error}): {text!r:.80}") from None
    return value


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
    except RecursionError:
        raise InvalidInput(f"a value is nested too deep: {text!r:.40}") from None
