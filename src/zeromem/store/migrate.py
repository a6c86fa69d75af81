"""Numbered migrations for the SQLite store: from any older schema to this one, in one transaction each.

In: a connection and the files `sql/sqlite/migrations/NNNN_name.sql`. Out: a database whose `user_version` is the number of
the newest migration and whose `application_id` marks it as ours. Refuses foreign files and newer schemas by name; never
changes data outside a migration.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from importlib.resources import files

from zeromem.errors import ForeignFile, NewerSchema

APPLICATION_ID = 0x7A65726F  # "zero"


@cache
def migrations() -> tuple[str, ...]:
    """The SQL of every migration in order; migration N is at index N - 1."""
    folder = files("zeromem.store") / "sql/sqlite/migrations"
    found = sorted((item for item in folder.iterdir() if item.name.endswith(".sql")), key=lambda item: item.name)
    return tuple(item.read_text(encoding="utf-8") for item in found)


def migrate(connection: sqlite3.Connection, name: str) -> int:
    """Bring the database to the newest schema and return its version.

    Raises ForeignFile for a database of another program, NewerSchema for one of a newer zeromem.
    """
    if _version(connection, name) == len(migrations()):
        return len(migrations())
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have migrated while we waited for the lock, so look again.
        for number in range(_version(connection, name) + 1, len(migrations()) + 1):
            for statement in _statements(migrations()[number - 1]):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise
    return len(migrations())


def _version(connection: sqlite3.Connection, name: str) -> int:
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if application == APPLICATION_ID:
        if version > len(migrations()):
            raise NewerSchema(
                f"{name} has schema {version}, this zeromem knows up to {len(migrations())}: upgrade zeromem"
            )
        return version
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise ForeignFile(f"{name} is an SQLite database of another program; give zeromem a file of its own")
    return 0


def _statements(script: str) -> list[str]:
    """Split a script at complete statements (a trigger body holds semicolons, so ask SQLite)."""
    out, buffer = [], ""
    for line in script.splitlines(keepends=True):
        buffer += line
        if sqlite3.complete_statement(buffer):
            out.append(buffer)
            buffer = ""
    return out
