"""Where else the failures of a run were seen: context for people, never evidence for a finding."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q

from triage.classify.fingerprints import masked
from triage.models import Result, Run
from triage.verdict.judgements import Judgement

# One working day in every time zone: what broke earlier is no longer news.
WINDOW = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Other pull requests and runs of the default branch with the same failure."""

    pull_requests: int
    reference_runs: int
    since: datetime

    def as_json(self) -> dict[str, object]:
        """Return it as the verdict document holds it."""
        return {
            "pull_requests": self.pull_requests,
            "reference_runs": self.reference_runs,
            "since": self.since.isoformat(),
            "sentence": self.sentence,
        }

    @property
    def sentence(self) -> str:
        """Say it in one sentence."""
        places = []
        if self.pull_requests:
            plural = "" if self.pull_requests == 1 else "s"
            places.append(f"{self.pull_requests} other pull request{plural}")
        if self.reference_runs:
            plural = "" if self.reference_runs == 1 else "s"
            places.append(f"{self.reference_runs} run{plural} of the default branch")
        return f"The same failure in {' and '.join(places)} since {self.since:%H:%M} UTC"


def seen_elsewhere(run: Run, judgements: Sequence[Judgement]) -> Mapping[str, Elsewhere]:
    """Return, by signature, what was seen up to the run's own time: one query for all findings."""
    signatures = {each.question.result.signature for each in judgements} - {""}
    others = Result.objects.filter(
        Q(run__pr__isnull=False) | Q(run__is_reference=True),
        repository_id=run.repository_id,
        run__is_trusted=True,
        signature__in=signatures,
        at__gt=run.at - WINDOW,
        at__lte=run.at,
    ).exclude(run__sha=run.sha)
    if run.pr is not None:
        others = others.exclude(run__pr=run.pr)
    counted = others.values("signature").annotate(
        pull_requests=Count("run__pr", distinct=True),
        reference_runs=Count("run", distinct=True, filter=Q(run__is_reference=True)),
        since=Min("at"),
    )
    return {
        each["signature"]: Elsewhere(each["pull_requests"], each["reference_runs"], each["since"])
        for each in counted.order_by("signature")
    }


def clusters(judgements: Sequence[Judgement]) -> list[dict[str, object]]:
    """Return the failures that several findings of a run share, in the order of the findings."""
    groups: dict[str, list[Judgement]] = defaultdict(list)
    for each in judgements:
        if each.question.result.signature:
            groups[each.question.result.signature].append(each)
    return [_cluster(signature, group) for signature, group in groups.items() if len(group) > 1]


def _cluster(signature: str, group: Sequence[Judgement]) -> dict[str, object]:
    return {
        "signature": signature,
        "line": masked(group[0].question.result.message),
        "cases": [each.question.result.case.title for each in group],
        "differences": sorted({each.question.difference.value for each in group}),
    }
