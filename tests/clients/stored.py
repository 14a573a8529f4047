"""What an uploader left in the tables: most of them say that all is well when nothing is."""

from dataclasses import dataclass

from triage.models import Observation, Run


@dataclass(frozen=True)
class Stored:
    """The run and its counts, as stored."""

    repo: str
    sha: str
    pr: int | None
    run_id: str
    attempt: int
    passed: int
    failed: int
    pairs: frozenset[tuple[str, str]]


def stored() -> Stored:
    """Return the only run that is stored."""
    run = Run.objects.select_related("repository").get()
    parts = list(run.parts.all())
    pairs = Observation.objects.filter(result__run=run).values_list("expected", "observed")
    return Stored(
        run.repository.full_name,
        run.sha,
        run.pr,
        run.ci_run_id,
        run.attempt,
        sum(part.passed for part in parts),
        sum(part.failed for part in parts),
        frozenset((str(expected), str(observed)) for expected, observed in pairs),
    )
