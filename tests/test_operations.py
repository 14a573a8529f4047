"""docs/operations.md names what there is: settings, metrics, commands, tables."""

import re
import shlex
from pathlib import Path

import pytest
from django.apps import apps
from ruamel.yaml import YAML

from tests.test_image import check_command
from triage.environment import SETTING_IDS
from triage.web.measurements import DatabaseCollector

PAGE = (Path(__file__).parent.parent / "docs" / "operations.md").read_text()
COMMANDS = re.findall(r"^ExecStart=/srv/tiebreak/bin/(.*)$", PAGE, re.MULTILINE)
DISTRIBUTED = re.findall(r"create_distributed_table\('(\w+)', '(\w+)'", PAGE)
TABLES = {
    model._meta.db_table: {field.column for field in model._meta.fields}
    for label in ("triage", "budgets")
    for model in apps.get_app_config(label).get_models()
}


def blocks(language: str) -> list[str]:
    """Return the blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_setting_is_named() -> None:
    family = "RETENTION_"
    named = set(re.findall(r"`([A-Z_]+)`", PAGE))
    assert {name for name in SETTING_IDS if not name.startswith(family)} <= named
    assert "`RETENTION_…_DAYS`" in PAGE


@pytest.mark.django_db
def test_every_metric_is_named_and_no_other_one() -> None:
    metrics = {family.name for family in DatabaseCollector().collect()}
    table = set(re.findall(r"^\| `(tiebreak_\w+)` \|", PAGE, re.MULTILINE))
    assert table == metrics
    (rules,) = blocks("yaml")
    alerts = YAML(typ="safe").load(rules)["groups"][0]["rules"]
    used = {name for rule in alerts for name in re.findall(r"tiebreak_\w+", rule["expr"])}
    assert len(alerts) == 3
    assert used <= metrics


def test_every_unit_starts_a_command_that_exists() -> None:
    assert len(COMMANDS) == 3
    for command in COMMANDS:
        check_command(shlex.split(command.replace("%i", "ingest")))


def test_every_table_to_distribute_has_the_column() -> None:
    assert len(DISTRIBUTED) == 12
    for table, column in DISTRIBUTED:
        assert column in TABLES[table], table


def test_the_page_is_short() -> None:
    assert PAGE.count("\n") <= 200
