"""Which columns hold encrypted secrets, so that keys can be changed and checked."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Model

from triage.models.github import GitHubApp
from triage.models.notifications import Channel
from triage.models.publishers import ForgeSettings

SEALED_COLUMNS: dict[type[Model], tuple[str, ...]] = {
    Channel: ("target", "signing_secret"),
    ForgeSettings: ("sealed_token",),
    GitHubApp: ("sealed_private_key", "sealed_webhook_secret", "sealed_client_secret"),
}


@dataclass(frozen=True, slots=True)
class SealedValue:
    """One encrypted value where it stands."""

    model: type[Model]
    pk: int
    column: str
    value: str

    def replace(self, value: str) -> bool:
        """Put another value in its place, unless somebody changed it in the meantime."""
        unchanged = self.model._default_manager.filter(pk=self.pk, **{self.column: self.value})
        return bool(unchanged.update(**{self.column: value}))

    def __str__(self) -> str:
        return f"{self.column} of {self.model._meta.verbose_name} {self.pk}"


def sealed_values() -> Iterator[SealedValue]:
    """Yield every encrypted value; what is empty is not there."""
    for model, columns in SEALED_COLUMNS.items():
        for pk, *values in model._default_manager.values_list("pk", *columns).iterator():
            for column, value in zip(columns, values, strict=True):
                if value:
                    yield SealedValue(model, pk, column, value)
