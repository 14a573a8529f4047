"""What the forge keeps beside a check run of ours, by which it is found again."""

from triage.models import Publication, Verdict

VERDICT_KEY = "verdict-"
WAITING_KEY = "waiting"


def key_of(publication: Publication) -> str:
    """Return the key of the check run that a publication asks for."""
    return f"{VERDICT_KEY}{publication.wanted_id}" if publication.wanted_id else WAITING_KEY


def verdict_of_key(repository_id: int, key: str) -> Verdict | None:
    """Return the verdict that a check run of a repository was made for."""
    number = key.removeprefix(VERDICT_KEY)
    if not key.startswith(VERDICT_KEY) or not number.isdecimal():
        return None
    known = Verdict.objects.filter(repository_id=repository_id, pk=int(number))
    return known.select_related("run").first()
