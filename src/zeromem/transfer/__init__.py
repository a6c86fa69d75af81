"""Foreign files in: message lists, chat exports, text and Markdown become batches that `Memory.add` takes.

`read_file(path)` gives `Batch`es, `detect(path)` names the format. Nothing here opens a store; the lossless export of
zeromem itself is read by `Memory.import_`.
"""

from zeromem.transfer.batch import Batch
from zeromem.transfer.formats import FORMATS, detect, read_file

__all__ = ["FORMATS", "Batch", "detect", "read_file"]
