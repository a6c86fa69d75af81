"""The acknowledgements that the gate is measured on."""

import re

from bench.gate import acknowledgements


def test_two_hundred_acknowledgements_half_of_them_chinese() -> None:
    """Each once, none blank, a hundred with Han characters."""
    acks = acknowledgements()
    assert (len(acks), len(set(acks)), all(text.strip() for text in acks)) == (200, 200, True)
    assert sum(bool(re.search("[\u4e00-\u9fff]", text)) for text in acks) == 100
