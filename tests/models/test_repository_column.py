"""Every table says whose row it is, so that rows can be distributed, exported and deleted by it."""

import pytest
from django.apps import apps
from django.db.models import Model

from triage.models import Repository

# Tables that belong to no repository, and why.
GLOBAL = {
    "triage_repository": "it is the repository",
    "triage_githubapp": "one App serves the whole installation",
    "triage_hookpass": "one App serves the whole installation",
    "triage_installation": "an account on GitHub installs the App for many repositories",
    "triage_webhookdelivery": "it is kept before anybody has read which repository it is about",
    "triage_providerincident": "a provider fails for all repositories at once",
}
TABLES = [
    model
    for label in ("triage", "budgets")
    for model in apps.get_app_config(label).get_models(include_auto_created=True)
]


def has_repository(model: type[Model]) -> bool:
    """Whether rows of a table name their repository in a column of their own."""
    return any(
        field.column == "repository_id" and field.related_model is Repository
        for field in model._meta.fields
    )


@pytest.mark.parametrize("model", TABLES, ids=lambda model: model._meta.db_table)
def test_a_table_names_its_repository_or_is_known_to_belong_to_none(model: type[Model]) -> None:
    assert has_repository(model) is (model._meta.db_table not in GLOBAL), (
        f"{model._meta.db_table}: give it a foreign key named repository, or a reason in GLOBAL"
    )


def test_every_exception_is_a_table() -> None:
    assert set(GLOBAL) <= {model._meta.db_table for model in TABLES}
