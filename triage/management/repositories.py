"""Find the repository that a command is told."""

from django.core.management import CommandError

from triage.models import Repository

BAD_INPUT = 2
MOST_NAMES_SHOWN = 5


def find_repository(full_name: str) -> Repository:
    """Return the repository of this name; end the command when there is none."""
    repository = Repository.objects.filter(full_name=full_name).first()
    if repository:
        return repository
    names = list(Repository.objects.order_by("full_name").values_list("full_name", flat=True))
    known = ", ".join(names[:MOST_NAMES_SHOWN]) or "none yet; send a report first"
    more = f" and {len(names) - MOST_NAMES_SHOWN} more" if len(names) > MOST_NAMES_SHOWN else ""
    raise CommandError(
        f"no repository is called {full_name!r}; known: {known}{more}", returncode=BAD_INPUT
    )
