"""Find the case that a command is told."""

from django.core.management import CommandError

from triage.management.repositories import BAD_INPUT
from triage.models import Case, Repository

MOST_TITLES_SHOWN = 5


def find_case(repository: Repository, told: str) -> Case:
    """Return the case with this number, title or part of one title; end the command otherwise."""
    cases = Case.objects.filter(repository=repository)
    exact = cases.filter(pk=int(told)) if told.isdecimal() else cases.filter(title=told)
    found = list((exact or cases.filter(title__contains=told)).order_by("title")[:100])
    if len(found) == 1:
        return found[0]
    if not found:
        raise CommandError(
            f"no case of {repository} is called {told!r} or has it in its name",
            returncode=BAD_INPUT,
        )
    shown = "".join(f"\n  {case.pk}: {case}" for case in found[:MOST_TITLES_SHOWN])
    raise CommandError(
        f"{len(found)} cases fit {told!r}; name one by its number:{shown}", returncode=BAD_INPUT
    )
