"""Progress bars on stderr for long work; silent with --json and where nobody looks at a terminal.

In: a title, and from the work `(done, total)`. Out: a rich bar. Imported only by commands that show one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from zeromem.ports import Progress as Report


@contextmanager
def bar(title: str, *, silent: bool, total: int | None = None) -> Iterator[Report]:
    """A bar; the value is a function `report(done, total)`."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=silent or not sys.stderr.isatty()) as shown:
        task = shown.add_task(title.replace("[", "\\["), total=total)

        def report(done: int, whole: int) -> None:
            shown.update(task, completed=done, total=max(whole, done))

        yield report
