"""Find what an address names, or answer that it is not there."""

from django.http import Http404

from triage.models import Repository


def find_repository(full_name: str) -> Repository:
    """Return a repository by its name; raises ``Http404``."""
    repository = Repository.objects.select_related("github").filter(full_name=full_name).first()
    if repository is None:
        raise Http404(f"There is no repository “{full_name}” here. Names are case-sensitive.")
    return repository
