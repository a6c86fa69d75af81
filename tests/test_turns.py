"""Where a memory may stand among tool calls and their results."""

from __future__ import annotations

from typing import Any

import pytest

from zeromem import Memory
from zeromem.turns import place

ASK = {"role": "user", "content": "Which ferry leaves at nine?"}
CALL = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]}
DONE = {"role": "tool", "tool_call_id": "a", "content": "x"}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}
RESULT_AND_TEXT = {"role": "user", "content": [*RESULT["content"], {"type": "text", "text": "and now?"}]}  # type: ignore[misc]
ITEM = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "a", "output": "x"}
SAID = {"role": "assistant", "content": "hm"}


@pytest.mark.parametrize(
    ("messages", "at"),
    [
        ([], 0),
        ([ASK], 0),
        ([SAID, ASK], 1),
        ([ASK, CALL, DONE], 0),
        ([ASK, CALL, DONE, DONE, ASK], 4),
        ([ASK, USE, RESULT], 0),
        ([ASK, USE, RESULT_AND_TEXT], 1),
        ([ASK, SAID, USE, RESULT_AND_TEXT], 2),
        ([ASK, CALL, ASK, DONE], 1),
        ([USE, RESULT], 2),
        ([SAID, CALL, DONE], 3),
        ([SAID, CALL], 1),
        ([ASK, ITEM, ITEM, OUTPUT, OUTPUT, ASK], 5),
        ([SAID, ITEM, ITEM, OUTPUT, RESULT_AND_TEXT], 1),
    ],
)
def test_place(messages: list[dict[str, Any]], at: int) -> None:
    """Before the last user turn, or above the calls whose results stand there."""
    assert place(messages) == at


def test_context_messages_keeps_calls_and_results_together(plain: Memory) -> None:
    """The block goes above the call; the caller's messages stay as they are."""
    plain.add("The ferry to Capri leaves at nine.", user="u", session="old")
    context = plain.recall("Which ferry leaves at nine?", user="u")
    block = {"role": "system", "content": context.text}
    assert context.messages([ASK, USE, RESULT_AND_TEXT]) == [ASK, block, USE, RESULT_AND_TEXT]
