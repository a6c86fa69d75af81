"""Foreign files in: message lists, chat exports, text and Markdown become batches that `Memory.add` takes.

`read_file(path)` gives `Batch`es for `Memory.import_batch`, `detect(path)` names the format, `read_export(path)` gives the records
of zeromem's own export for `Memory.import_`. Nothing here opens a store.
"""

from zeromem.transfer.batch import Batch
from zeromem.transfer.formats import FORMATS, detect, read_file
from zeromem.transfer.records import read_export

__all__ = ["FORMATS", "Batch", "detect", "read_export", "read_file"]
