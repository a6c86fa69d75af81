"""Checks scope keywords once, at the boundary, and says which cards a scope may see.

In: the `user=, agent=, session=, tenant=` keywords of a verb. Out: a Scope, or InvalidScope. A blank id is an error, never
"all"; an id that is not given is not compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from unicodedata import category

from zeromem.errors import InvalidScope
from zeromem.text.redact import Level, redact
from zeromem.types import Scope

_IDS = ("tenant", "user", "agent", "session")
_LONGEST = 512
_UNSEEN = ("Cc", "Cf")  # control and format characters, such as U+200B


def scope_of(ids: Mapping[str, Any]) -> Scope:
    """The scope of a verb that needs an owner. Raises InvalidScope without user and agent, or for a bad id."""
    scope = _checked(ids)
    if scope.user is None and scope.agent is None:
        raise InvalidScope("give user= or agent=: every memory belongs to one of them")
    return scope


def optional_scope(ids: Mapping[str, Any]) -> Scope | None:
    """The scope of a verb that may also see the whole file: None where no id is given at all."""
    scope = _checked(ids)
    return None if scope == Scope() else scope


def unmasked(scope: Scope, level: Level) -> Scope:
    """The scope of what is to be stored. Raises InvalidScope for an id that holds a secret: an id is stored as it is given, and a mask
    would make one owner of two."""
    safe = masked_scope(scope, level)
    for name in _IDS:
        if getattr(safe, name) != getattr(scope, name):
            raise InvalidScope(
                f"{name} holds a secret, and ids are stored as they are given: use a name, or a hash of it"
            )
    return scope


def masked_scope(scope: Scope, level: Level) -> Scope:
    """The scope as a log may hold it. Addresses and numbers of people are ids like any other, whatever the level."""
    if level == "off":
        return scope
    return Scope(**{name: _masked_id(getattr(scope, name)) for name in _IDS})


@lru_cache(1024)  # the same owner writes again and again
def _masked_id(value: str | None) -> str | None:
    return None if value is None else redact(value)[0]


def _checked(ids: Mapping[str, Any]) -> Scope:
    unknown = [name for name in ids if name not in _IDS]
    if unknown:
        raise TypeError(
            f"unexpected keyword argument {unknown[0]!r}; scope keywords are user, agent, session and tenant"
        )
    return Scope(**{name: _id(name, ids[name]) for name in ids})


def _id(name: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidScope(f"{name} must be a string, not {type(value).__name__}")
    if not value.strip() or all(sign.isspace() or category(sign) in _UNSEEN for sign in value):
        raise InvalidScope(f"{name} is blank; leave it out, or give an id")
    if len(value) > _LONGEST:
        raise InvalidScope(f"{name} is longer than {_LONGEST} characters")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidScope(f"{name} holds a lone surrogate, which no file or URL can carry") from None
    return value


def sees(scope: Scope | None, other: Scope) -> bool:
    """Whether something of scope `other` is visible to `scope`: every given id is equal (sessions are not walls)."""
    if scope is None:
        return True
    pairs = ((scope.tenant, other.tenant), (scope.user, other.user), (scope.agent, other.agent))
    return all(mine is None or mine == theirs for mine, theirs in pairs)
