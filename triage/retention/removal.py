"""Delete a repository with everything that is its own, in short transactions."""

from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from typing import Any

from django.apps import apps
from django.db.models import ForeignKey, Model, QuerySet

from triage.models import Repository, Token, WebhookDelivery
from triage.retention.batches import delete_in_batches, locked
from triage.retention.files import delete_files, stored_files
from triage.retention.steps import Step, rows_step


def removal_steps(repository: Repository) -> list[Step]:
    """Return the steps that delete a repository; tokens first, so that nothing comes in."""
    pk, name = repository.pk, repository.full_name
    tables: list[type[Model]] = [Token, *(model for model in owned_models() if model is not Token)]
    return [
        *(_table(model, pk) for model in tables),
        rows_step("webhook deliveries", lambda: _deliveries(name), None),
        Step("files", lambda: sum(1 for _ in stored_files(name)), lambda: delete_files(name)),
        # Last, because who was stopped finds what is left by its name.
        Step("repositories", lambda: 1, lambda: _delete_row(pk)),
    ]


def owned_models() -> list[type[Model]]:
    """Return every table whose rows belong to a repository, those first that refer to others."""
    owned = {model for model in apps.get_models() if _owner(model)}
    graph = {model: _referred(model, owned) for model in owned}
    ordered = list(TopologicalSorter(graph).static_order())
    return ordered[::-1]


def _owner(model: type[Model]) -> bool:
    return any(field.related_model is Repository for field in _foreign_keys(model))


def _foreign_keys(model: type[Model]) -> Iterable[ForeignKey[Any, Any]]:
    return [field for field in model._meta.concrete_fields if isinstance(field, ForeignKey)]


def _referred(model: type[Model], owned: set[type[Model]]) -> set[type[Model]]:
    related = {field.related_model for field in _foreign_keys(model)}
    return {other for other in owned if other in related and other is not model}


def _table(model: type[Model], repository_id: int) -> Step:
    def find() -> QuerySet[Model]:
        return model._default_manager.filter(repository_id=repository_id)

    return Step(
        str(model._meta.verbose_name_plural),
        lambda: find().count(),
        lambda: delete_in_batches(find, repository_id),
    )


def _deliveries(full_name: str) -> QuerySet[WebhookDelivery]:
    return WebhookDelivery.objects.filter(body__repository__full_name=full_name)


def _delete_row(repository_id: int) -> Iterator[int]:
    """Delete the row, and with it what came in since its table was emptied."""
    with locked(repository_id):
        Repository.objects.filter(pk=repository_id).delete()
    yield 1
