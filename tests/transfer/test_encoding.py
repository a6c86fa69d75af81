"""A file is read in the letters it was written in, or refused with the line and the likely encoding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from zeromem.errors import InvalidInput
from zeromem.transfer import Batch, read_file
from zeromem.transfer.encoding import likely_encoding

CHINESE = "门口的钥匙在花盆下，杏仁过敏要记住。\n明天下午三点去杭州。\n"
TRADITIONAL = "門口的鑰匙在花盆下，請記得帶護照。\n"
JAPANESE = "来週の水曜日に札幌へ行きます。窓側の席をお願いします。\n"
FRENCH = "Le café est fermé l'été ; réservé à l'hôtel près de la gare.\n"


def one(path: Path, **options: Any) -> Batch:
    (batch,) = read_file(path, **options)
    return batch


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_text_in_every_marked_encoding(write: Any, codec: str) -> None:
    """UTF-8 with and without a mark, UTF-16 and UTF-32 with one: the same text, its file as the source, no mark left."""
    batch = one(write("NOTE.TXT", CHINESE, codec))
    assert (batch.content, batch.title, batch.session, batch.at) == (CHINESE, "NOTE.TXT", None, None)
    assert batch.source_id == f"file:{write('NOTE.TXT', CHINESE, codec).resolve()}"


def test_text_is_kept_to_the_byte(write: Any) -> None:
    """Line ends, tabs and separators that Python counts as line ends stay as they are."""
    text = "a\r\nb\tc\rd\u2028e\n\n"
    assert one(write("a.log", text)).content == text


def test_gbk_is_refused_with_its_name_and_read_with_it(write: Any) -> None:
    path = write("old.txt", "first line is ASCII\n" + CHINESE, "gbk")
    with pytest.raises(InvalidInput, match=r"old\.txt, line 2: not UTF-8; .*gb18030.*pass encoding='gb18030'"):
        list(read_file(path))
    assert one(path, encoding="gb18030").content == "first line is ASCII\n" + CHINESE
    assert one(path, encoding="GBK").content == "first line is ASCII\n" + CHINESE


@pytest.mark.parametrize(
    ("text", "codec", "named"),
    [
        (CHINESE, "gbk", "gb18030"),
        ("钥匙在花盆下", "gbk", "gb18030"),
        (TRADITIONAL, "big5", "big5"),
        (JAPANESE, "shift_jis", "shift_jis"),
        (FRENCH, "cp1252", "cp1252"),
        ("Größe über Maß", "latin-1", "cp1252"),
    ],
)
def test_likely_encoding(text: str, codec: str, named: str) -> None:
    """Simplified and traditional Chinese, Japanese and Western legacy files are told apart."""
    assert likely_encoding(text.encode(codec)) == named


def test_a_damaged_utf8_file_is_not_called_chinese(write: Any) -> None:
    broken = CHINESE.encode()[:60] + b"\xff" + CHINESE.encode()[60:]
    with pytest.raises(InvalidInput, match=r"line 2: not UTF-8, and no other encoding fits; the file is damaged"):
        list(read_file(write("a.txt", broken)))


def test_the_wrong_encoding_is_refused(write: Any) -> None:
    with pytest.raises(InvalidInput, match="line 1: not ascii; it looks like"):
        list(read_file(write("a.txt", CHINESE, "gbk"), encoding="ascii"))
    for encoding in ("klingon", "hex", "a\x00b"):
        with pytest.raises(InvalidInput, match="no text encoding"):
            read_file(write("a.txt", "x"), encoding=encoding)


def test_utf16_without_a_mark_is_named(write: Any) -> None:
    path = write("a.txt", "plain words, and 中文", "utf-16-le")
    with pytest.raises(InvalidInput, match="pass encoding='utf-16-le'"):
        read_file(path)
    assert one(path, encoding="utf-16-le").content == "plain words, and 中文"


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"%PDF-1.4\n", "PDF"), (b"PK\x03\x04..", "ZIP"), (b"SQLite format 3\x00", "SQLite"), (b"ab\x00\x01c", "binary")],
)
def test_binary_files_are_refused(write: Any, data: bytes, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        read_file(write("a.txt", data))


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nothing\.txt: no such file"):
        read_file(tmp_path / "nothing.txt")
    with pytest.raises(InvalidInput, match="is a folder"):
        read_file(tmp_path)
    with pytest.raises(InvalidInput, match="unknown format 'xml'; use one of auto, jsonl"):
        read_file(tmp_path, format="xml")


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.jsonl", "a.json", "a"])
def test_an_empty_file_gives_nothing(write: Any, name: str) -> None:
    assert list(read_file(write(name, b""))) == []
    assert list(read_file(write(name, b"\xef\xbb\xbf \n\n"))) == []
