"""An installation of the first version is brought up to date, and goes on as if nothing was."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.apps.registry import Apps
from django.core import serializers
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from tests.flows.suites import FLIP, REPO, WORDING, CaseRun, report, sha, suite
from tests.web.people import member
from triage.models import Case, Epoch, Escalation, Repository, Result, Run, Token

FIRST = [("triage", "0001_initial"), ("budgets", "0001_initial")]
STORED = json.loads((Path(__file__).parents[1] / "data/upgrade/first_schema.json").read_text())
# Budgets are written in the policy since the second migration.
KEPT = [row for row in STORED["rows"] if row["model"] != "budgets.budget"]


@pytest.fixture
def empty_database(transactional_db: None, tmp_path: Path) -> Iterator[None]:
    """A database without a table, in the place of the tests' own one."""
    own = connection.settings_dict["NAME"]
    on_postgres = connection.vendor == "postgresql"
    name = f"{own}_upgraded" if on_postgres else str(tmp_path / "upgraded.sqlite3")
    if on_postgres:
        run_beside_databases(f'CREATE DATABASE "{name}"')
    turn_to(name)
    try:
        yield
    finally:
        turn_to(own)
        if on_postgres:
            run_beside_databases(f'DROP DATABASE "{name}"')


def run_beside_databases(statement: str) -> None:
    """Run a statement about databases, which none of them may be in use for."""
    with connection._nodb_cursor() as cursor:
        cursor.execute(statement)


def turn_to(name: object) -> None:
    """Let everything of this process work on another database of the same server."""
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()
    connection.settings_dict["NAME"] = name


def write_first_rows(first: Apps) -> None:
    """Write the rows of the first version by the models of its schema."""
    with transaction.atomic():
        for row in STORED["rows"]:
            model = first.get_model(row["model"])
            fields = {model._meta.get_field(name): value for name, value in row["fields"].items()}
            told = {field.attname: read(field, value) for field, value in fields.items()}
            model(pk=row["pk"], **told).save(force_insert=True)
    statements = connection.ops.sequence_reset_sql(no_style(), first.get_models())
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def read(field: Any, value: Any) -> Any:
    """Return the value of a field as the serializer wrote it."""
    is_number_of_row = field.is_relation and value is not None
    return field.target_field.to_python(value) if is_number_of_row else field.to_python(value)


def stored_now(model: str) -> dict[Any, dict[str, Any]]:
    """Return the fields of all rows of a table, as the serializer writes them today."""
    rows = serializers.serialize("json", apps.get_model(model).objects.all())
    return {row["pk"]: row["fields"] for row in json.loads(rows)}


def upload(number: int, *changed: CaseRun) -> Any:
    """Send a report with the token that the first version made; return the answer."""
    return Client().post(
        f"/api/v1/uploads?repo={REPO}&sha={sha(number)}&run_id={number}&pr=7&wait=60",
        report(suite(3, *changed)),
        content_type="application/xml",
        headers={"Authorization": f"Bearer {STORED['secret']}"},
    )


def test_what_the_first_version_stored_is_kept_and_gone_on_with(empty_database: None) -> None:
    first = MigrationExecutor(connection).migrate(FIRST).apps
    write_first_rows(first)
    call_command("migrate", interactive=False, verbosity=0)

    for model in {row["model"] for row in KEPT}:
        now = stored_now(model)
        before = {row["pk"]: row["fields"] for row in KEPT if row["model"] == model}
        assert now.keys() == before.keys(), model
        assert {pk: now[pk] | fields for pk, fields in before.items()} == now, model
    check_new_fields()
    check_it_goes_on()


def check_new_fields() -> None:
    """What the first version did not know has the value of what was never used."""
    assert Token.objects.get().scopes == ["upload", "read"]
    assert (Token.objects.get().expires_at, Token.objects.get().previous_digest) == (None, None)
    assert not Repository.objects.get().is_public
    assert {(run.closed_by, run.look_at, run.pruned_at) for run in Run.objects.all()} == {
        ("", None, None)
    }
    assert {(result.provider, str(result.circumstances)) for result in Result.objects.all()} == {
        ("", "[]")
    }
    assert {epoch.assertion for epoch in Epoch.objects.all()} == {""}
    assert Escalation.objects.get().reminders == 0


def check_it_goes_on() -> None:
    """Its token uploads, its cases are the same ones, its runs are shown."""
    flip = CaseRun("test_ticket[1]", FLIP, "billing")
    answer = upload(15, CaseRun("test_ticket[0]", WORDING), flip)

    assert answer.status_code == 201, answer.content
    assert Case.objects.count() == 3
    assert [epoch.calls for epoch in Epoch.objects.order_by("case")] == [15, 15, 15]
    told = {each["case"]: each for each in answer.json()["findings"]}
    assert told["tests.evals.test_refunds::test_ticket[0]"]["finding"] == "expected_flake"
    flipped = told["tests.evals.test_refunds::test_ticket[1]"]
    assert flipped["finding"] == "near_tie"
    assert "before, flips 7.1 % (1 of 14, " in flipped["reason"].replace("\N{NO-BREAK SPACE}", " ")
    reader = member()
    for path in ("runs/14/", "runs/13/", f"r/{REPO}/", "cases/2/", "escalations/1/"):
        assert reader.get(f"/{path}", follow=True).status_code == 200, path
