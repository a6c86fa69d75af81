"""The error tree, grouped by what the caller can do about it.

    ZeromemError
    ├── InvalidInput          fix the call: the argument named in the message is wrong
    │   ├── InvalidScope      no user or agent, or a blank or non-string id
    │   └── InvalidFilter     a filter that the truth table does not know
    ├── NotFound              fix the call: no such pointer, card or context in this scope
    ├── Ambiguous             fix the call: a pointer of several scopes, or words that fit several cards; name the one
    ├── NoChat                set ZEROMEM_CHAT_URL and ZEROMEM_CHAT_MODEL, or open with chat=: the verb needs a chat model
    ├── ChatFailed            retry, or mend the endpoint: it is dead, slow, refuses the key, or answers nonsense
    │   └── ChatRefused       change what is asked: the endpoint works, and refuses this request
    ├── BudgetSpent           raise the budget of calls or tokens, or open the memory again
    ├── EmbedderFailed        mend the embedder and call again: cards are stored and found by their words meanwhile
    ├── EmbedderMismatch      run `reindex`: the store's vectors were made by another embedder
    ├── StoreBusy             retry: another process held the write lock for longer than the busy time-out
    └── StoreError            give up, or repair: the file cannot be read or written
        ├── ForeignFile       an SQLite file of another program, or no SQLite file at all
        ├── NewerSchema       a file of a newer zeromem; upgrade the package
        └── StoreFull         the disk is full; nothing of the failed call was stored

An error is never an empty result, and an empty result is never an error.
"""

from __future__ import annotations

__all__ = [
    "Ambiguous",
    "BudgetSpent",
    "ChatFailed",
    "ChatRefused",
    "EmbedderFailed",
    "EmbedderMismatch",
    "ForeignFile",
    "InvalidFilter",
    "InvalidInput",
    "InvalidScope",
    "NewerSchema",
    "NoChat",
    "NotFound",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "ZeromemError",
]


class ZeromemError(Exception):
    """Root of every error that zeromem raises on purpose."""


class InvalidInput(ZeromemError, ValueError):
    """An argument has the wrong type or value; the message names it and says what is accepted."""


class InvalidScope(InvalidInput):
    """Neither user nor agent was given, or an id is blank or not a string."""


class InvalidFilter(InvalidInput):
    """A metadata filter uses an unknown operator or an operand of the wrong shape."""


class NotFound(ZeromemError, LookupError):
    """The pointer, card, event or context does not exist in this scope."""


class Ambiguous(ZeromemError, LookupError):
    """A pointer that is used by several owners, or words that fit several cards; name the scope, or use the card's id."""


class NoChat(ZeromemError):
    """The verb needs a chat model, and none is set; the message names the settings."""


class ChatFailed(ZeromemError):
    """The endpoint of a model did not answer, not in time, or not in a form that can be read; nothing was changed by it."""


class ChatRefused(ChatFailed):
    """The endpoint is there and refuses this request: too long, or with something that it does not know."""


class BudgetSpent(ZeromemError):
    """The calls or tokens that were allowed are used up; the call was not made."""


class EmbedderFailed(ZeromemError):
    """The embedder stopped in the middle of an embedding run; what it had done is kept, the message counts the rest."""


class EmbedderMismatch(ZeromemError):
    """The stored vectors come from another embedder; `reindex` makes them anew."""


class StoreBusy(ZeromemError, TimeoutError):
    """Another process held the database for longer than the busy time-out; try again."""


class StoreError(ZeromemError, OSError):
    """The database file cannot be opened, read or written; the message names file and cure."""


class ForeignFile(StoreError):
    """The file is not a zeromem database."""


class NewerSchema(StoreError):
    """The file was written by a newer zeromem than this one."""


class StoreFull(StoreError):
    """The disk is full; the call that failed stored nothing."""
