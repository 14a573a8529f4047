"""Write many rows at once: by COPY on PostgreSQL, with one prepared statement everywhere else.

Objects are written as they are: no signals, no ``auto_now``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import connection, models

# Below this many rows COPY costs more than it saves, and below that many a temporary table does.
FEWEST_COPIED = 20
FEWEST_STAGED = 200
INSERT_BATCH = 500

if TYPE_CHECKING:
    Field = models.Field[Any, Any]
Row = Sequence[Any]
Object = TypeVar("Object", bound=models.Model)


def insert_rows(objects: Sequence[Object]) -> Sequence[Object]:
    """Insert new objects of one model and return them with their keys."""
    if not objects:
        return objects
    model = type(objects[0])
    if not _are_many(objects, FEWEST_COPIED):
        return model._default_manager.bulk_create(objects, INSERT_BATCH)
    _reserve_keys(objects)
    fields = model._meta.concrete_fields
    _copy(model._meta.db_table, fields, _rows_of(objects, fields))
    for each in objects:
        each._state.adding = False
    return objects


def update_rows(objects: Sequence[models.Model], fields: Sequence[str]) -> None:
    """Save these fields of many objects of one model."""
    if not objects:
        return
    model = type(objects[0])
    columns = [each for each in model._meta.concrete_fields if each.name in fields]
    key = model._meta.pk
    assignments = ", ".join(f"{each.column} = staged.{each.column}" for each in columns)
    run_over_rows(
        f"UPDATE {model._meta.db_table} SET {assignments} FROM {{staged}} "  # noqa: S608
        f"WHERE {model._meta.db_table}.{key.column} = staged.{key.column}",
        [key, *columns],
        _rows_of(objects, [key, *columns]),
    )


def run_over_rows(statement: str, fields: Sequence[Field], rows: Sequence[Row]) -> None:
    """Run a statement over rows that it reads as the table ``staged``, at the mark ``{staged}``.

    The rows' values are those of ``fields``, as the database takes them; no two rows may change
    the same stored row.
    """
    if _are_many(rows, FEWEST_STAGED):
        _run_staged(statement, fields, rows)
    elif rows:
        values = ", ".join(f"{_placeholder(each)} AS {each.column}" for each in fields)
        with connection.cursor() as cursor:
            cursor.executemany(statement.format(staged=f"(SELECT {values}) AS staged"), rows)


def add_rows(
    model: type[models.Model], key: Sequence[str], counters: Sequence[str], rows: Sequence[Row]
) -> None:
    """Add counts to the rows that have the same key, or insert them.

    A row holds the fields of the key, then the counts.
    """
    table = model._meta.db_table
    fields = fields_of(model, (*key, *counters))
    columns = ", ".join(str(each.column) for each in fields)
    unique = ", ".join(str(each.column) for each in fields[: len(key)])
    sums = ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in counters)
    run_over_rows(
        # Without a condition SQLite reads ON CONFLICT as a part of a join.
        f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {{staged}} WHERE true "  # noqa: S608
        f"ON CONFLICT ({unique}) DO UPDATE SET {sums}",
        fields,
        rows,
    )


def take_rows(
    model: type[models.Model], key: Sequence[str], counters: Sequence[str], rows: Sequence[Row]
) -> None:
    """Take counts from the rows that have the same key. A row holds the key, then the counts."""
    table = model._meta.db_table
    fields = fields_of(model, (*key, *counters))
    sums = ", ".join(f"{name} = {table}.{name} - staged.{name}" for name in counters)
    same = " AND ".join(
        f"{table}.{each.column} = staged.{each.column}" for each in fields[: len(key)]
    )
    run_over_rows(f"UPDATE {table} SET {sums} FROM {{staged}} WHERE {same}", fields, rows)  # noqa: S608


def fields_of(model: type[models.Model], names: Sequence[str]) -> list[Field]:
    """Return the fields of a model by their names."""
    return [model._meta.get_field(name) for name in names]  # type: ignore[misc]


def _are_many(rows: Sequence[object], fewest: int) -> bool:
    return connection.vendor == "postgresql" and len(rows) >= fewest


def _run_staged(statement: str, fields: Sequence[Field], rows: Sequence[Row]) -> None:
    columns = ", ".join(f"{each.column} {each.db_type(connection)}" for each in fields)
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMPORARY TABLE staged ({columns}) ON COMMIT DROP")
        _copy("staged", fields, rows)
        cursor.execute(statement.format(staged="staged"))
        cursor.execute("DROP TABLE staged")


def _copy(table: str, fields: Sequence[Field], rows: Sequence[Row]) -> None:
    columns = ", ".join(str(each.column) for each in fields)
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(row)


def _reserve_keys(objects: Sequence[models.Model]) -> None:
    table, key = objects[0]._meta.db_table, objects[0]._meta.pk
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)",
            [table, key.column, len(objects)],
        )
        for each, (number,) in zip(objects, cursor.fetchall(), strict=True):
            each.pk = number


def _rows_of(objects: Sequence[models.Model], fields: Sequence[Field]) -> Sequence[Row]:
    """Return the values of objects as the driver takes them, built column by column for speed."""
    return list(zip(*(_column(objects, each) for each in fields), strict=True))


def _column(objects: Sequence[models.Model], field: Field) -> list[object]:
    values = [getattr(each, field.attname) for each in objects]
    if connection.vendor == "postgresql" and not isinstance(field, models.JSONField):
        return values
    return [field.get_db_prep_save(value, connection) for value in values]


def _placeholder(field: Field) -> str:
    """Return the mark of a value; PostgreSQL asks for its type, which a bare SELECT leaves open."""
    return f"%s::{field.db_type(connection)}" if connection.vendor == "postgresql" else "%s"
