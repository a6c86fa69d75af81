"""Secrets are masked, what users want remembered is not: the table's examples, odd neighbours, and linear time."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from zeromem.rules import masks
from zeromem.text.credentials import secret_name
from zeromem.text.redact import Level, Mask, moved, redact

RULES = masks()["rule"]


def _plain(text: str) -> str:
    """A bar keeps scanners of secrets from taking an example for a real key."""
    return text.replace("¦", "")


def _level(rule: dict[str, Any]) -> Level:
    return "personal" if rule.get("personal") else "secrets"


@pytest.mark.parametrize(
    "level, text, stored", [(_level(rule), *example) for rule in RULES for example in rule["examples"]]
)
def test_examples_of_the_table(level: Level, text: str, stored: str) -> None:
    """Each example is stored as the table says; masking again masks nothing more."""
    assert redact(_plain(text), level)[0] == stored
    assert redact(stored, level) == (stored, ())


@pytest.mark.parametrize("level, text", [(_level(rule), text) for rule in RULES for text in rule["kept"]])
def test_counter_examples_of_the_table(level: Level, text: str) -> None:
    """What only looks like a secret stays, whatever rule might take it for one."""
    assert redact(_plain(text), level) == (_plain(text), ())


@pytest.mark.parametrize(
    "text, masks",
    [
        ("", ()),
        ("密码是 hunter2 ok", (Mask("password", 4, 7),)),
        ('{"pin": 4471, "n": 1}', (Mask("pin", 8, 4, '"'),)),
        ('{\\"pin\\": 4471}', (Mask("pin", 10, 4, '\\"'),)),
        ("\ud800密码：hunter2\udfff", (Mask("password", 4, 8),)),
    ],
)
def test_masks_tell_what_stood_where(text: str, masks: tuple[Mask, ...]) -> None:
    """Kind, place and length in the text as given; a number of JSON gets quotes, so that it stays JSON."""
    assert redact(text)[1] == masks


def test_levels() -> None:
    """Secrets by default, personal data by choice, nothing with "off"."""
    text = "mail ana@mail.example.com, password: hunter2"
    assert [redact(text, level)[0] for level in get_args(Level)] == [
        "mail ana@mail.example.com, password: [redacted:password]",
        "mail [redacted:email], password: [redacted:password]",
        text,
    ]


def test_overlapping_secrets_are_one_mask() -> None:
    """A key inside a password is masked once, over both."""
    text, masks = redact("password: AKIA" + "IOSFODNN7EXAMPLE/xyz end")
    assert (text, len(masks)) == ("password: [redacted:password] end", 1)


def test_places_move_with_the_masks() -> None:
    """Ends of spans find their place in the masked text; one within a secret is the end of its mask."""
    text = "a password: hunter2, b password: hunter3, c"
    out, masks = redact(text)
    assert [out[moved(masks, text.index(word)) :][:1] for word in "abc"] == ["a", "b", "c"]
    assert moved(masks, text.index("unter2")) == out.index("]") + 1
    assert moved(masks, len(text)) == len(out)


@pytest.mark.parametrize(
    "name, value, kind",
    [
        ("password", "hunter2", "password"),
        ("dbPassword", "correct horse battery staple", "password"),
        ("登录密码", "abc", "password"),
        ("api_key", "a1b2c3d4", "api-key"),
        ("client-secret", "a1b2c3d4e5", "token"),
        ("password", "", None),
        ("password", "is too short", None),
        ("password", "string", None),
        ("max_tokens", "4096", None),
        ("locker_password", "4471", None),
        ("monkey", "a1b2c3d4", None),
        ("passenger", "a1b2c3d4", None),
    ],
)
def test_fields_named_like_secrets(name: str, value: str, kind: str | None) -> None:
    """What stands in a field of that name is one, whatever it looks like."""
    assert secret_name(name, value) == kind


@pytest.mark.parametrize(
    "piece",
    [
        "a", "1", "1 ", "sk-", "password ", "password:", "密码", "密码是", "-----BEGIN PRIVATE KEY-----\n",
        "a://b:", "://", "token=", "eyJa.", "Bearer ", "@a.", "+1 ",
        '"password": "', "\\", "token secret key ", "curl -u ", "is my password ", "4111 1111 ", "AKIA", "x@", "\\\"",
        "legal winner ", "recovery codes: 1a2b3c4d ", "Cookie: a=1;", "login a/b", "2fa ABCD ",
        "4111 1111 1111 1111 ", "4111111111111111,", "12/27 4111111111111111 ", "<password>", "<a name=\"password\">", "name: password value: ",
        "{\"key\": \"password\", ", "password: |\n  x\n", "user,password\na,b1!c2d3\n", "| password |", "password,",
        "mot de passe : ", "パスワード", "pass\u200bword", "\u200b", "ｐ", "password \"",
        "my pass, a1b2c3d4 ", "authorization: digest a=b, ",
        "MIIEpAIBAAKCAQEA7\n", "-----END PRIVATE KEY-----\n", "银行卡 4111", "passphrase: a b c d ", "the password that ",
    ],
)  # fmt: skip
def test_time_grows_with_the_length(piece: str) -> None:
    """A megabyte of any piece over and over is read through at once: quadratic work would take hours."""
    text = piece * (1_000_000 // len(piece))
    redact(text, "personal")


@pytest.mark.parametrize(
    "text, stored",
    [
        (r'{"t": "\u5bc6\u7801\u662fhunter2\uff0cok"}', r'{"t": "\u5bc6\u7801\u662f[redacted:password]\uff0cok"}'),
        (r"\\u53f74111111111111111\\uff0c", r"\\u53f7[redacted:card-number]\\uff0c"),
        (r"password: a\u0026b12\u0021 x", "password: [redacted:password] x"),
        (r"\u5bc6 and \u7801 alone", r"\u5bc6 and \u7801 alone"),
    ],
)
def test_escaped_characters_are_read(text: str, stored: str) -> None:
    """JSON may write Chinese as escapes; what they say counts, and the rest stays as it was written."""
    assert redact(text)[0] == stored


def test_national_telephone_numbers() -> None:
    """With the extra `personal`, numbers are known as people write them at home."""
    pytest.importorskip("phonenumbers")
    assert redact("座机010-62345678，or (415) 555-2671", "personal")[0] == "座机[redacted:phone]，or [redacted:phone]"
    assert redact("order 12345678 on 2026-11-30", "personal")[1] == ()
