"""The one filter engine: a mapping such as `{"topic": "visa", "at": {"gte": "2026-01-01"}}` becomes a test of a card.

In goes the caller's filter, out comes a predicate over cards (`compile_filter`) and the scope ids that the filter fixes
(`scope_ids`). Everything is checked when the filter is compiled: a filter that the truth table in
`docs/reference/filters.md` does not know, or that could never match, is an `InvalidFilter` and not an empty result.

It does not reach into nested metadata, does not match text inside values, and knows nothing of stores or queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from operator import ge, gt, le, lt
from typing import Any

from zeromem.checks import deeper
from zeromem.errors import InvalidFilter
from zeromem.text.times import parse_time
from zeromem.types import Card

__all__ = ["FIELDS", "OPERATORS", "compile_filter", "scope_ids", "told_in"]

Predicate = Callable[[Card], bool]
_Getter = Callable[[Card], Any]
_Test = Callable[[Any], bool]

OPERATORS = ("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "exists")
_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}
_SCOPE_FIELDS = ("user", "agent", "session", "tenant")
_TEXT_FIELDS = (*_SCOPE_FIELDS, "role", "speaker", "kind", "source_id")
_TIME_FIELDS = ("at", "created_at", "updated_at")
FIELDS = (*_TEXT_FIELDS, *_TIME_FIELDS)
_PREFIX = "metadata."
# Deeper than any filter a person or a program builds on purpose, and far from Python's recursion limit.
_MAX_DEPTH = 50
_MISSING = object()


def compile_filter(filters: Mapping[str, Any] | None) -> Predicate:
    """A test of cards; None and `{}` accept every card. Raises `InvalidFilter` naming the key that is wrong."""
    if deeper(filters, 2 * _MAX_DEPTH):
        raise InvalidFilter(f"filter nested more than {_MAX_DEPTH} deep; flatten it")
    return _all(_conditions(filters)) if filters is not None else _always


def scope_ids(filters: Mapping[str, Any] | None) -> dict[str, str]:
    """The user, agent, session and tenant that every match must have: equalities at the top level or in its ANDs.

    `filters={"user": "u1"}` is thus the same as `user="u1"`. Two different values for one id raise `InvalidFilter`.
    """
    found: dict[str, str] = {}
    if deeper(filters, 2 * _MAX_DEPTH):
        return {}  # compile_filter refuses it by name
    for name, value in _equalities(filters or {}):
        if found.setdefault(name, value) != value:
            raise InvalidFilter(
                f"filter {name!r:.80} asks for {found[name]!r:.80} and for {value!r:.80} at once; use 'in' for either"
            )
    return found


def told_in(session: str | None, filters: Mapping[str, Any]) -> Predicate:
    """The test of cards that `session` tells. A card belongs to every session that says it, and names only the first: a filter that
    asks for this very session is met by all of them."""
    matches = compile_filter(filters)
    if session is None or scope_ids(filters).get("session") != session:
        return matches
    return lambda card: matches(replace(card, scope=replace(card.scope, session=session)))


def _equalities(filters: Any) -> Iterable[tuple[str, str]]:
    if not isinstance(filters, Mapping):
        return  # compile_filter refuses it by name
    for key, operand in filters.items():
        if key in ("AND", "and") and isinstance(operand, list | tuple):
            for part in operand:
                yield from _equalities(part)
        elif key in _SCOPE_FIELDS:
            value = operand.get("eq") if isinstance(operand, Mapping) else operand
            if isinstance(value, str):
                yield key, value


def _conditions(filters: Any) -> list[Predicate]:
    if not isinstance(filters, Mapping):
        raise InvalidFilter(
            f"a filter is a mapping such as {{'topic': 'visa'}}, not {type(filters).__name__}: {filters!r:.80}"
        )
    return [_condition(key, operand) for key, operand in filters.items()]


def _condition(key: Any, operand: Any) -> Predicate:
    if not isinstance(key, str):
        raise InvalidFilter(f"filter key {key!r:.80} is {type(key).__name__}; keys are strings")
    if key in ("AND", "and", "OR", "or"):
        if not isinstance(operand, list | tuple) or not operand:
            raise InvalidFilter(f"{key} takes a list of one or more filters, not {operand!r:.80}")
        parts = [_all(_conditions(part)) for part in operand]
        return _all(parts) if key in ("AND", "and") else _any(parts)
    if key in ("NOT", "not"):
        inner = _all(_conditions(operand))
        return lambda card: not inner(card)
    if (plain := key.lstrip("$").lower()) in ("and", "or", "not"):
        raise InvalidFilter(f"filter key {key!r:.80} is none (did you mean {plain!r}?){_otherwise(key)}")
    get, convert = _field(key)
    # A mapping holds operators, anything else is compared with: {"k": 3} is short for {"k": {"eq": 3}}.
    operators = operand if isinstance(operand, Mapping) else {"eq": operand}
    if not operators:
        raise InvalidFilter(f"filter {key!r:.80} names no operator; to compare with an empty object use {{'eq': {{}}}}")
    return _all([_on(get, _test(key, name, value, convert)) for name, value in operators.items()])


def _field(key: str) -> tuple[_Getter, Callable[[str, Any], Any]]:
    """How to read the field from a card, and how to check (and convert) an operand for it."""
    if key in _TIME_FIELDS:
        return lambda card: datetime.fromisoformat(getattr(card, key)), _time_operand
    if key in _TEXT_FIELDS:
        return lambda card: _MISSING if (value := getattr(card, key)) is None else value, _text_operand
    name = key.removeprefix(_PREFIX)
    return lambda card: card.metadata.get(name, _MISSING), _json_operand


def _test(key: str, operator: Any, operand: Any, convert: Callable[[str, Any], Any]) -> _Test:
    if operator not in OPERATORS:
        hint = _hint(operator)
        raise InvalidFilter(
            f"filter {key!r:.80}: unknown operator {operator!r:.80}{hint}; use one of {', '.join(OPERATORS)}"
        )
    if operator == "exists":
        if not isinstance(operand, bool):
            raise InvalidFilter(f"filter {key!r:.80}: exists takes true or false, not {operand!r:.80}")
        return lambda value: (value is not _MISSING) is operand
    if operator in ("in", "nin"):
        if not isinstance(operand, list | tuple | set | frozenset):
            raise InvalidFilter(
                f"filter {key!r:.80}: {operator} takes a list, not {operand!r:.80}; for one value use eq or ne"
            )
        wanted = [convert(key, one) for one in operand]
        return lambda value: any(_matches(value, one) for one in wanted) is (operator == "in")
    one = convert(key, operand)
    if operator in ("eq", "ne"):
        return lambda value: _matches(value, one) is (operator == "eq")
    if isinstance(one, bool) or not isinstance(one, int | float | str | datetime):
        raise InvalidFilter(f"filter {key!r:.80}: {operator} takes a number or a string, not {operand!r:.80}")
    return lambda value: _compares(value, _ORDER[operator], one)


def _hint(operator: Any) -> str:
    plain = str(operator).lstrip("$").lower()
    if plain in OPERATORS:
        return f" (did you mean {plain!r}?)"
    return " (to compare with an object, write {'eq': {...}})" if isinstance(operator, str) else ""


def _matches(value: Any, wanted: Any) -> bool:
    """Equal, or a list with an equal element."""
    return _same(value, wanted) or (isinstance(value, list | tuple) and any(_same(one, wanted) for one in value))


def _compares(value: Any, order: Callable[[Any, Any], bool], bound: Any) -> bool:
    """In order, or a list with an element in order; values of different kinds have no order."""
    values = value if isinstance(value, list | tuple) else (value,)
    kind = _kind(bound)
    return any(_kind(one) == kind and order(one, bound) for one in values)


def _same(left: Any, right: Any) -> bool:
    """Equality of JSON values, in which true is not 1 (it is in Python) and 1 is 1.0."""
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    return _kind(left) == _kind(right) and bool(left == right)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, int | float) else "text" if isinstance(value, str) else type(value).__name__


def _json_operand(key: str, operand: Any) -> Any:
    if operand is None or isinstance(operand, str | bool | int | float):
        return operand
    if isinstance(operand, list | tuple):
        return [_json_operand(key, one) for one in operand]
    if isinstance(operand, Mapping):
        return {name: _json_operand(key, one) for name, one in operand.items()}
    raise InvalidFilter(
        f"filter {key!r:.80}: metadata holds JSON values, so {type(operand).__name__} can match none: {operand!r:.80}"
    )


def _text_operand(key: str, operand: Any) -> str:
    if isinstance(operand, str):
        return operand
    cure = "use 'exists'" if operand is None else "use 'in'" if isinstance(operand, list | tuple) else "give a string"
    raise InvalidFilter(
        f"filter {key!r:.80} compares with strings, so {operand!r:.80} can match none; {cure}{_otherwise(key)}"
    )


def _time_operand(key: str, operand: Any) -> datetime:
    if isinstance(operand, str | date | int | float):
        try:
            return parse_time(operand)
        except ValueError as error:
            raise InvalidFilter(f"filter {key!r:.80}: {error}{_otherwise(key)}") from error
    raise InvalidFilter(f"filter {key!r:.80} compares with times, not {operand!r:.80}{_otherwise(key)}")


def _otherwise(key: str) -> str:
    return f" (your own metadata of that name is {_PREFIX + key!r})"


def _on(get: _Getter, test: _Test) -> Predicate:
    return lambda card: test(get(card))


def _all(tests: list[Predicate]) -> Predicate:
    if len(tests) == 1:
        return tests[0]
    return lambda card: all(test(card) for test in tests)


def _any(tests: list[Predicate]) -> Predicate:
    return lambda card: any(test(card) for test in tests)


def _always(_card: Card) -> bool:
    return True
