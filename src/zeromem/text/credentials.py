"""Tells whether what stands beside the name of a secret is one: the tests of `rules/redact.toml` that no pattern can do.

In: a match of a rule, and the group that would be masked. Out: the kind of the secret ("" for that of the rule), or None where nothing is to be
masked. What opens a place or a parcel (door, locker, pickup code) is no secret but a thing to remember. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from zeromem.rules import expand, masks, words
from zeromem.text.words import is_stop

# One of these is in every name of a secret.
NAMES = (
    "pass", "pw", "key", "token", "secret", "credential", "pin", "密", "口令", "令牌", "秘", "私", "授权码", "授權碼",
    "contrase", "senha", "mdp", "clave", "chave", "kennwort", "woord", "senord", "hasło", "schl", "jeton", "парол", "токен", "パス", "暗証",
    "トークン", "シークレット", "キー", "鍵", "비밀", "암호", "토큰", "키",
)  # fmt: skip


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of the table, its macros filled in."""
    return re.compile(expand(pattern, masks()["macros"]))


def secret_name(name: str, value: str) -> str | None:
    """The kind of secret that a field of this name holds, None if it holds none: `password`, `apiKey`, `client_secret`."""
    lowered = name.lower()
    if not any(map(lowered.__contains__, NAMES)):
        return None
    match = compiled("(?i)(?:{name_any})$").search(name)
    return _kind(match, value, False) if match else None


def strong(value: str) -> bool:
    """Whether it looks chosen as a password wherever it stands: letters with digits or signs among them, no version, file or amount."""
    alpha, digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return (
        len(value) >= 6
        and alpha
        and (digit or any(sign in _SIGNS for sign in value))
        and not _SNAKE.fullmatch(value)
        and not _macro("plain").fullmatch(value)
        and not _macro("unlike").fullmatch(value)
    )


def wallets(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Where the words of a wallet stand, and how long: twelve or more of the list in a row, six where the text calls them so."""
    if len(text) < _SHORTEST_PHRASE:
        return
    listed = _wallet_words()
    least = _FEW if any(map(lowered.__contains__, _PHRASES)) and _macro("seed").search(text) else _MANY
    if sum(map(listed.__contains__, _WORD.findall(lowered))) < least:
        return
    held: list[re.Match[str]] = []
    for word in (*_WORD.finditer(text), None):
        near = word is not None and (not held or word.start() - held[-1].end() <= _GAP)
        if not near or word is None or word[0].lower() not in listed:
            if len(held) >= least:
                yield held[0].start(), held[-1].end() - held[0].start()
            held = []
        if word is not None and word[0].lower() in listed:
            held.append(word)


@cache
def _wallet_words() -> frozenset[str]:
    lines = words("en", "redact_wallet").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


# -- the tests of the rules: each gives the kind ("" for that of the rule), or None where nothing is to be masked
_SIGNS = "!@#$%^&*+~_=?"
_SNAKE = re.compile(r"(?=.*[_-])[A-Za-z]+(?:[_-][A-Za-z]+)*[_-]?\d{0,4}")  # `test_login2`: a name in code
_WORD = re.compile(r"[A-Za-z]+")
_PHRASES = ("seed", "phrase", "mnemonic", "wallet", "助", "种子")
_SHORTEST_PHRASE = 30  # characters
_FEW, _MANY = 6, 12  # words of a wallet: in a text that names it, in any
_GAP = 6  # characters between two of them: numbers, commas, line ends
_LETTERS = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_CODE = re.compile(r"[A-Za-z]?[\d*#-]{2,9}[A-Za-z]?")  # what doors and lockers take
_UNITS = re.compile(r"\s?[位个個字次天年月周分秒小时時~]")
_CLAUSE = re.compile(r"[。；;!?！？\n]|\.\s")
_NEAR = 28  # characters around a code that tell what it opens
_CLOSING = re.compile(r"[ \t]{0,2}[,，)）—–-]")
_TICKET = re.compile(
    r"(?i)(?:boarding|bus|train|rail|ski|season|day|week|month|monthly|annual|year|hall|gate|press|visitor"
    r"|museum|park|travel|metro|event|tests?|mountain)[ ]?$"
)
_HOLDER = re.compile(r"(?i)(?:bank|debit|credit|card|atm|sim|phone)(?:['’]s)? $")
_PLAIN_KEY = re.compile(r"[\w.+/=-]{12,}")  # what is shorter beside "ssh key" names one
# What a group of the macro `name` calls a value.
KINDS = {
    "password": "password", "key": "api-key", "vendor": "api-key", "token": "token", "pin": "pin", "weak": "password"
}  # fmt: skip
_Group = str | int


def _macro(name: str) -> re.Pattern[str]:
    return compiled("(?is){" + name + "}")


def _any(match: re.Match[str], group: _Group) -> str | None:
    return ""


def _named(match: re.Match[str], group: _Group) -> str | None:
    """A value beside the name of a secret."""
    return _kind(match, match[group], group == "b", match.end(group))


def _kind(match: re.Match[str], value: str, bare: bool, end: int = -1) -> str | None:
    told = match.groupdict()
    name = next(name for name in KINDS if told.get(name))
    field = "sign" not in told  # a field of a record, not words
    sign, be = field or told["sign"], not field and told["be"]
    if not value.strip() or _macro("plain").fullmatch(value) or (bare and _macro("unlike").fullmatch(value)):
        return None
    digit = any(map(str.isdigit, value))
    linked = bool(sign or be)
    if not field and told["told"] and not strong(value):
        return None
    if not field and told["soft"]:
        number = told["aside"] and value.isdecimal() and 6 <= len(value) <= 8 and _account_code(match, end, True)
        good = (strong(value) and "=" not in value) or bool(number)
        good = good and (not told["aside"] or _CLOSING.match(match.string, end) is not None)
    elif name in ("token", "key", "vendor"):
        good = _key(match, name, value, bare, end)
    elif name == "pin":
        held = not field and _HOLDER.search(match.string[max(0, match.start() - 12) : match.start()])
        good = value.isdecimal() and 4 <= len(value) <= 8 and bool(linked or held)
        good = good and _account_code(match, end, len(value) < 6)
    elif name == "weak":
        before = match.string[max(0, match.start() - 12) : match.start()]
        good = linked and digit and strong(value) and not _TICKET.search(before) and not match[0].startswith("PASS:")
    elif _CODE.fullmatch(value):
        counted = not linked and _UNITS.match(match.string, end)
        near = linked or told["to"] or not told["password"].isascii()
        good = len(value) > 3 and bool(near) and not counted and _account_code(match, end, True)
    elif _LETTERS.fullmatch(value):
        abroad = name == "password" and not sign and _macro("abroad").fullmatch(told["password"]) is not None
        good = not bare or (linked and not abroad and _word(match, value, bare, end, 4 if sign else 6))
    elif bare:
        good = len(value) >= (4 if linked else 6) and (digit or any(sign in _SIGNS for sign in value))
    else:
        good = linked or digit
    return KINDS[name] if good and not (not field and told["break"] and not digit) else None


def _key(match: re.Match[str], name: str, value: str, bare: bool, end: int) -> bool:
    told = match.groupdict()
    linked = "sign" not in told or bool(told["sign"] or told["be"])
    if name == "vendor":
        return _PLAIN_KEY.fullmatch(value) is not None and _random(value) and not _SNAKE.fullmatch(value)
    return _random(value) or (name == "key" and linked and _word(match, value, bare, end, 6))


def _random(value: str) -> bool:
    """Whether it looks drawn, not said: a key, not a number or a word."""
    alpha, digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    if " " in value or "://" in value:
        return False
    return (len(value) >= 8 and alpha and digit) or (len(value) >= 20 and value.lower() != value != value.upper())


def _word(match: re.Match[str], value: str, bare: bool, end: int, least: int) -> bool:
    """A word that stands alone behind the name: nothing of a sentence follows."""
    return len(value) >= least and (not bare or end < 0 or _macro("ended").match(match.string, end) is not None)


def _account_code(match: re.Match[str], end: int, usual: bool) -> bool:
    """Whether a short code opens an account, no door, locker or parcel: what is said nearest, else what is usual."""
    if end < 0:
        return _macro("thing").search(match.string.replace("_", " ")) is None
    text = match.string
    before, after = text[max(0, match.start() - _NEAR) : end], _CLAUSE.split(text[end : end + _NEAR])[0]
    for near in (before, after):
        account, thing = (
            max((m.end() for m in _macro(name).finditer(near)), default=0) for name in ("account", "thing")
        )
        if account or thing:  # the nearer word says what is meant
            return account > thing
    return usual


def _behind(match: re.Match[str], group: _Group) -> str | None:
    """`hunter2 is my password`: the value comes first, so it must look like one."""
    value = match[group]
    if match["for"] and not (strong(value) and any(map(str.isdigit, value))):
        return None
    if group == "b" and (not any(map(str.isdigit, value)) or _macro("unlike").fullmatch(value) or len(value) < 4):
        return None
    return None if _CODE.fullmatch(value) and not _account_code(match, match.end(), True) else ""


def _phrase(match: re.Match[str], group: _Group) -> str | None:
    """Several plain words behind the name of a password: a pass phrase, where no word of them makes a sentence."""
    said = match[group].split()
    if match["whole"]:  # behind the sign of a pass phrase whatever is no sentence on it
        return "" if len(said) > 3 and not any(_macro("verb").fullmatch(word) for word in said) else None
    phrase = "phrase" in match[0].lower()
    plain = any(
        is_stop(word) or _macro("verb").fullmatch(word) or (not phrase and _macro("plain").fullmatch(word))
        for word in said
    )
    return "" if not plain and len(said) > 2 else None


def _codes(match: re.Match[str], group: _Group) -> str | None:
    """Codes that let somebody back into an account."""
    signs = sum(map(str.isalnum, match[group]))
    return "" if signs >= 8 and _account_code(match, match.end(group), True) else None


def _cookie(match: re.Match[str], group: _Group) -> str | None:
    """Cookies, where one of them is more than a choice of language."""
    values = [pair.partition("=")[2] for pair in match[group].split(";")]
    return "" if any(_random(value) or len(value) >= 20 for value in values) else None


def _strong(match: re.Match[str], group: _Group) -> str | None:
    value = match[group]
    return "" if strong(value) and any(map(str.isdigit, value)) else None


def _random_value(match: re.Match[str], group: _Group) -> str | None:
    return "" if _random(match[group]) and not _SNAKE.fullmatch(match[group]) else None


def _base32(match: re.Match[str], group: _Group) -> str | None:
    """The seed of an authenticator: four-letter words are none."""
    return "" if match[group].isupper() or any(map(str.isdigit, match[group])) else None


def _identity(match: re.Match[str], group: _Group) -> str | None:
    """A Chinese identity number by its check sign (ISO 7064, MOD 11-2); other forms are told by their shape."""
    number = match[0].upper()
    if len(number) == 18:
        total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(number[:17]))
        return "" if "10X98765432"[total % 11] == number[17] else None
    return ""


CHECKS: dict[str, Callable[[re.Match[str], _Group], str | None]] = {
    "": _any, "named": _named, "behind": _behind, "identity": _identity, "phrase": _phrase, "codes": _codes, "cookie": _cookie,
    "strong": _strong, "random": _random_value, "base32": _base32,
}  # fmt: skip
