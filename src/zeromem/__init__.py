"""zeromem: lossless long-term memory for LLM agents that puts into the prompt only what would change the next decision."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from zeromem.changes import Change, Forgotten, Proof
from zeromem.encode.messages import Document
from zeromem.errors import (
    Ambiguous,
    BudgetSpent,
    ChatFailed,
    ChatRefused,
    EmbedderFailed,
    EmbedderMismatch,
    ForeignFile,
    InvalidFilter,
    InvalidInput,
    InvalidScope,
    NewerSchema,
    NoChat,
    NotFound,
    StoreBusy,
    StoreError,
    StoreFull,
    ZeromemError,
)
from zeromem.facts import Clarification, EventTime, Fact
from zeromem.learn import Feedback
from zeromem.memory import Memory
from zeromem.proposals import Answer, Quarantined
from zeromem.replies import Spent
from zeromem.scoped import ScopedMemory
from zeromem.settings import Settings
from zeromem.transfer.adopt import ImportReport
from zeromem.transfer.verbs import Taken
from zeromem.types import (
    Card,
    Citation,
    Context,
    Event,
    Expansion,
    Hit,
    Hits,
    Page,
    Receipt,
    ReceiptItem,
    Resolution,
    Scope,
    Span,
    Stats,
    TraceRecord,
    Verification,
)

if TYPE_CHECKING:
    from zeromem.aio import AsyncMemory

__version__ = "0.1.0"

__all__ = [
    "Ambiguous",
    "Answer",
    "AsyncMemory",
    "BudgetSpent",
    "Card",
    "Change",
    "ChatFailed",
    "ChatRefused",
    "Citation",
    "Clarification",
    "Context",
    "Document",
    "EmbedderFailed",
    "EmbedderMismatch",
    "Event",
    "EventTime",
    "Expansion",
    "Fact",
    "Feedback",
    "ForeignFile",
    "Forgotten",
    "Hit",
    "Hits",
    "ImportReport",
    "InvalidFilter",
    "InvalidInput",
    "InvalidScope",
    "Memory",
    "NewerSchema",
    "NoChat",
    "NotFound",
    "Page",
    "Proof",
    "Quarantined",
    "Receipt",
    "ReceiptItem",
    "Resolution",
    "Scope",
    "ScopedMemory",
    "Settings",
    "Span",
    "Spent",
    "Stats",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "Taken",
    "TraceRecord",
    "Verification",
    "ZeromemError",
]


def __getattr__(name: str) -> Any:
    """`AsyncMemory` comes when it is asked for: importing asyncio would make every command a tenth slower."""
    if name == "AsyncMemory":
        return import_module("zeromem.aio").AsyncMemory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
