"""Secrets never reach the file: by whatever verb they come in, and the receipt tells; what was masked is still recognised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zeromem import Document, InvalidInput, InvalidScope, Memory, Settings
from zeromem.transfer import Batch

SECRET = "sk-" + "proj-Zq8vK2mX91LpTr44WnBd"
CARD = "5555 5555" + " 5555 4444"
Open = Callable[..., Memory]


def _bytes(path: Path) -> bytes:
    """Everything of a memory that is on the disk, the log of uncommitted pages included."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(path.name + "*")))


def _absent(path: Path, *secrets: str) -> None:
    content = _bytes(path)
    assert [
        secret for secret in secrets if secret.encode() in content or json.dumps(secret)[1:-1].encode() in content
    ] == []


CONTENTS: list[tuple[Any, str, tuple[str, ...]]] = [
    (f"我的密钥是{SECRET}请记住", "我的密钥是[redacted:api-key]请记住", ("api-key",)),
    ({"role": "user", "content": f"pay with {CARD}"}, "pay with [redacted:card-number]", ("card-number",)),
    (
        {"role": "user", "content": [{"type": "text", "text": f"use {SECRET}"}], "headers": {"x-api-key": "Zq8vK2mX91"}},
        "use [redacted:api-key]",
        ("api-key", "api-key"),
    ),
    (
        {
            "role": "assistant", "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function",
                 "function": {"name": "login", "arguments": json.dumps({"user": "ana", "password": "Zq8vK2mX91", "pin": 448812345})}}
            ],
        },
        'login(user: "ana", password: "[redacted:password]", pin: 448812345)',
        ("password",),
    ),
    (
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "pay", "input": {"card": CARD, "order": 4111111111111111}}]},
        'pay(card: "[redacted:card-number]", order: 4111111111111111)',
        ("card-number",),
    ),
    ({"role": "tool", "tool_call_id": "c9", "content": f"token={SECRET}"}, "token=[redacted:api-key]", ("api-key",)),
    (Document(f"# Keys\n\npassword: Zq8vK2mX91 and {SECRET}", f"{SECRET}.md"),
     "Keys\npassword: [redacted:password] and [redacted:api-key]", ("password", "api-key", "api-key")),
    ({"type": "document", "text": f"see {SECRET}", "title": "t", "origin": "https://ana:Zq8vK2mX91@x.test"},
     "see [redacted:api-key]", ("api-key", "password")),
]  # fmt: skip


def _call(arguments: str) -> dict[str, Any]:
    return {"role": "assistant", "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}]}  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        _call('{"args": ["--password", "Zq8vK2mX91"]}'),
        _call('{"cmd": ["mysql", "-u", "root", "-pZq8vK2mX91"]}'),
        _call('{"headers": [{"key": "password", "value": "Zq8vK2mX91"}]}'),
        _call('{"env": [{"name": "api_key", "value": "Zq8vK2mX91"}]}'),
        _call('{"password": "Zq8vK2mX91'),
        {"role": "user", "content": [{"type": "text", "text": SECRET[:14]}, {"type": "text", "text": SECRET[14:]}]},
        {
            "role": "user",
            "content": [{"type": "text", "text": "my password is"}, {"type": "text", "text": "Zq8vK2mX91"}],
        },
        {"role": "user", "content": "my pass\u200bword is Zq8vK2mX91"},
        {"role": "user", "content": "my password is Zq8v\u2060K2mX91"},
        {"role": "user", "content": "ｐａｓｓｗｏｒｄ： Zq8vK2mX91"},
    ],
)
def test_a_secret_in_pieces_is_masked(open_memory: Open, tmp_path: Path, content: Any) -> None:
    """What is a secret only beside another word, part or field, or is cut off or written with unseen signs, is masked as well."""
    memory = open_memory(tmp_path / "m.db", embedder="none")
    (item,) = memory.add([content], user="ana").items
    assert len(item.masked) == 1
    _absent(tmp_path / "m.db", "Zq8v", "K2mX91", SECRET[14:])


def test_lists_of_plain_words_stay(open_memory: Open) -> None:
    """Names of fields, flags without a value and a message in parts are stored as they came."""
    memory = open_memory(embedder="none")
    plain = [_call('{"args": ["--password", "--user", "ana"], "fields": ["password", "token", "secret"], "p": [{"name": "limit", "value": "4096"}]}'),
             {"role": "user", "content": [{"type": "text", "text": "I lost my password"}, {"type": "text", "text": "Can you help?"}]}]  # fmt: skip
    assert [item.masked for item in memory.add(plain, user="ana").items] == [(), ()]


@pytest.mark.parametrize("content, stored, kinds", CONTENTS)
def test_whatever_is_added_is_masked(
    open_memory: Open, tmp_path: Path, content: Any, stored: str, kinds: tuple[str, ...]
) -> None:
    """Text, original, card and title are stored without the secret; the receipt counts what was masked; `expand` gives the masked words."""
    memory = open_memory(tmp_path / "m.db", embedder="none")
    receipt = memory.add(content, user="ana")
    (item,) = receipt.items
    assert (memory.get(receipt.id, user="ana").text, item.status, item.masked) == (stored, "stored", kinds)
    assert item.reason.endswith(" masked") and kinds[0] in item.reason
    assert memory.expand(receipt.id, user="ana").spans[0].text in memory.expand(receipt.id, user="ana").text
    _absent(tmp_path / "m.db", SECRET, CARD, "Zq8vK2mX91")


def test_the_receipt_names_kinds_and_counts(open_memory: Open) -> None:
    """`stored`, and what was masked behind it; nothing is said where nothing was."""
    memory = open_memory(embedder="none")
    receipt = memory.add([f"{SECRET} and {CARD} and {SECRET}", "plain words here"], user="ana")
    assert [item.reason for item in receipt.items] == ["new message; 2 api-key, 1 card-number masked", "new message"]


def test_names_beside_the_words_are_masked(open_memory: Open, tmp_path: Path) -> None:
    """Speaker, metadata and the name of a source may hold a secret too; the source is known again by the masked name."""
    memory = open_memory(tmp_path / "m.db", embedder="none")
    source = "https://bot:Zq8vK2mX91@git.test/x.git"
    given: dict[str, Any] = {
        "source_id": source,
        "metadata": {"token": "Zq8vK2mX91", "deep": [{"k": SECRET}]},
        "user": "ana",
    }
    said = {"role": "user", "content": "The tea is in the tin.", "name": SECRET}
    first, again = memory.add(said, **given), memory.add(said, **given)
    assert [first.items[0].status, again.items[0].status] == ["stored", "duplicate"]
    card = memory.get(first.id, user="ana")
    assert (card.speaker, dict(card.metadata), card.source_id) == (
        "[redacted:api-key]",
        {"token": "[redacted:token]", "deep": [{"k": "[redacted:api-key]"}]},
        "https://bot:[redacted:password]@git.test/x.git",
    )
    assert memory.delete_source(source, user="ana") == 1
    _absent(tmp_path / "m.db", SECRET, "Zq8vK2mX91")


def test_an_update_is_masked(open_memory: Open, tmp_path: Path) -> None:
    """New words and new metadata of a card are masked like those of an add."""
    memory = open_memory(tmp_path / "m.db", embedder="none")
    id_ = memory.add("The server has a key.", user="ana").id
    (item,) = memory.update(
        id_, f"The server has the key {SECRET}", metadata={"password": "Zq8vK2mX91"}, user="ana"
    ).items
    assert (item.text, item.reason) == (
        "The server has the key [redacted:api-key]",
        "version 2; 1 password, 1 api-key masked",
    )
    _absent(tmp_path / "m.db", SECRET, "Zq8vK2mX91")


def test_an_import_is_masked(open_memory: Open, tmp_path: Path) -> None:
    """An export of a memory that masks nothing comes in masked, its spans where they belong; a second time adds nothing."""
    bare = open_memory(embedder="none", settings=Settings(redact="off"))
    words = (
        f"{SECRET} is my key. "
        + "The meadow was wide and the brook ran cold over the stones. " * 60
        + f"And {SECRET} again."
    )
    bare.add(
        {"role": "user", "content": [{"type": "text", "text": words}]},
        user="ana",
        metadata={"k": SECRET},
        source_id=f"https://x.test/?key={SECRET}",
    )
    assert bare.list(user="ana")[-1].text.count(SECRET) + bare.list(user="ana")[0].text.count(SECRET) >= 2
    memory = open_memory(tmp_path / "m.db", embedder="none")
    records = list(bare.export())
    first, again = memory.import_(records), memory.import_(records)
    assert (first.masked, again.added, again.masked) == (4, 0, 0)
    for card in memory.list(user="ana"):
        (span,) = memory.expand(card.id, user="ana").spans
        assert span.text == card.text
    assert memory.verify().ok
    _absent(tmp_path / "m.db", SECRET)


def test_a_batch_is_known_again(open_memory: Open, tmp_path: Path) -> None:
    """A file with secrets that is imported twice adds nothing the second time, as messages and as a document."""
    memory = open_memory(tmp_path / "m.db", embedder="none")
    for batch in (
        Batch([{"role": "user", "content": f"key {SECRET}"}], "s", source_id="file:1"),
        Batch(f"# Keys\n\n{SECRET}", "s", source_id="file:2", replaces=True, title="keys.md"),
    ):
        first, again = memory.import_batch(batch, user="ana"), memory.import_batch(batch, user="ana")
        assert [first.events, again.events, again.known] == [1, 0, 1]
    _absent(tmp_path / "m.db", SECRET)


def test_the_callers_window_is_recognised(open_memory: Open) -> None:
    """A message with a key that the caller still holds is left out of the recall, though its card is masked."""
    memory = open_memory(embedder="none")
    said = {"role": "user", "content": f"The billing gateway of the Lisbon office takes the key {SECRET}."}
    memory.add(
        [said, {"role": "user", "content": "The Lisbon office has a billing gateway on the third floor."}],
        user="ana",
        session="s",
    )
    context = memory.recall(
        [said, {"role": "user", "content": "Which key takes the billing gateway of the Lisbon office?"}], user="ana"
    )
    assert [card.text for card in context.cards] == ["The Lisbon office has a billing gateway on the third floor."]


def test_codes_of_doors_and_lockers_are_remembered(open_memory: Open) -> None:
    """What opens a place or a parcel is a thing to remember, no secret."""
    memory = open_memory(embedder="none")
    for words in (
        "The parcel locker code is 4471.",
        "快递柜密码是4471。",
        "garage door password changed from 2580 to 6174",
        "门禁密码 4471",
    ):
        (item,) = memory.add(words, user="ana").items
        assert (item.text, item.masked) == (words, ())


@pytest.mark.parametrize(
    "level, stored",
    [
        ("off", "mail ana@mail.example.com " + SECRET),
        ("secrets", "mail ana@mail.example.com [redacted:api-key]"),
        ("personal", "mail [redacted:email] [redacted:api-key]"),
    ],
)
def test_the_setting(open_memory: Open, level: str, stored: str) -> None:
    """`redact` chooses: nothing, secrets, or personal data too."""
    memory = open_memory(embedder="none", settings=Settings(redact=level))
    assert memory.add(f"mail ana@mail.example.com {SECRET}", user="ana").items[0].text == stored


def test_the_setting_is_checked() -> None:
    """A level that does not exist is refused by name, whether it is given or comes from the environment."""
    with pytest.raises(InvalidInput, match="redact must be one of secrets, personal, off"):
        Settings(redact="all")
    with pytest.raises(InvalidInput, match="ZEROMEM_REDACT must be one of"):
        Settings.from_environment({"ZEROMEM_REDACT": "none"})
    assert Settings.from_environment({"ZEROMEM_REDACT": "personal"}).redact == "personal"


def test_what_holds_itself_is_still_refused(open_memory: Open) -> None:
    """A message without end is a typed error, as without masking."""
    loop: dict[str, Any] = {"role": "user", "content": "hello", "more": []}
    loop["more"].append(loop)
    with pytest.raises(InvalidInput, match="not itself"):
        open_memory(embedder="none").add(loop, user="ana")


def test_names_of_fields_are_masked(open_memory: Open, tmp_path: Path) -> None:
    """A secret may be the name of a field; two of a kind stay two fields."""
    memory = open_memory(tmp_path / "m.db", embedder="none")
    given = {SECRET: 1, SECRET + "x": 2, "密码qwer1234!": 3, "deep": {"my pw is hunter22": [4]}}
    receipt = memory.add("The tea is in the tin.", user="ana", metadata=given)
    assert dict(memory.get(receipt.id, user="ana").metadata) == {
        "[redacted:api-key]": 1,
        "[redacted:api-key] ": 2,
        "密码[redacted:password]": 3,
        "deep": {"my pw is [redacted:password]": [4]},
    }
    _absent(tmp_path / "m.db", SECRET, "qwer1234!", "hunter22")


@pytest.mark.parametrize("name", ["user", "agent", "session", "tenant"])
def test_an_id_that_is_a_secret_is_refused(open_memory: Open, tmp_path: Path, name: str) -> None:
    """An id is stored as it is given, and a mask would make one owner of two: the error says what to do, without the secret."""
    memory = open_memory(tmp_path / "m.db", embedder="none")
    ids: dict[str, Any] = {"user": "ana", name: SECRET}
    calls: list[Callable[[], Any]] = [
        lambda: memory.add("The tea is in the tin.", **ids),
        lambda: memory.add_fact("tea", "place", "tin", **ids),
        lambda: memory.import_batch(Batch([{"role": "user", "content": "hello there"}], None), **ids),
    ]
    for call in calls:
        with pytest.raises(InvalidScope, match=f"{name} holds a secret.*hash") as error:
            call()
        assert SECRET not in str(error.value)
    memory.add("The tea is in the tin.", user="ana")
    assert memory.recall("where is the tea?", **ids) is not None
    memory.stats()
    memory.close()
    _absent(tmp_path / "m.db", SECRET)


def test_an_import_of_secret_ids_is_refused(open_memory: Open, tmp_path: Path) -> None:
    """So are records of such an owner; with masking off ids are ids, and e-mail addresses always are."""
    bare = open_memory(embedder="none", settings=Settings(redact="off"))
    bare.add("The tea is in the tin.", user=SECRET)
    memory = open_memory(tmp_path / "m.db", embedder="none", settings=Settings(redact="personal"))
    with pytest.raises(InvalidInput, match="user holds a secret"):
        memory.import_(list(bare.export()))
    assert memory.add("The tea is in the tin.", user="ana@mail.example.com").ids
    _absent(tmp_path / "m.db", SECRET)
