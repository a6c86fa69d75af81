"""Which source a command means: its id, or the file as it was given to `import`.

In: what was typed. Out: ids that it may stand for, the likeliest first. A file that is gone is still known by its path if it was a document; the
messages of a chat log are known by how it begins, so it has to be there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from zeromem.errors import ZeromemError
from zeromem.transfer import read_file
from zeromem.transfer.formats import file_source


def meant(given: str) -> Iterator[list[str]]:
    """The id as it is, the path as a document, the conversations that the file holds: what comes first and is known is meant."""
    yield [given]
    if not given or given == "-" or "\0" in given:
        return
    yield [file_source(given)]
    if Path(given).is_file():
        try:
            yield list(dict.fromkeys(batch.source_id for batch in read_file(given) if batch.source_id))
        except (ZeromemError, OSError):  # no file that import reads: then it is none that was imported
            return
