"""What a publication says: of its verdict, or of there being none."""

from dataclasses import replace

from triage.models import Publication, Result, Verdict
from triage.publish.asked import asked_of
from triage.publish.check_run import CheckRun, Place, check_run
from triage.publish.comment import comment_body
from triage.publish.excerpts import excerpts
from triage.publish.inert import sentence
from triage.publish.left_out import left_out_sentences

WAITING = CheckRun(
    status="in_progress",
    conclusion=None,
    title="Waiting for test results",
    summary="No report has been uploaded for this commit yet.",
    annotations=(),
    actions=(),
)
NO_RESULTS = CheckRun(
    status="completed",
    conclusion="neutral",
    title="No LLM results for this commit",
    summary="All workflows of this commit ended, and none uploaded a report.",
    annotations=(),
    actions=(),
)


def check_of(publication: Publication) -> CheckRun:
    """Return the check run that a publication asks for."""
    left_out = left_out_sentences(publication.left_out)
    if publication.wanted is None:
        empty = NO_RESULTS if publication.has_no_results else WAITING
        notes = [f"> {sentence(each)}" for each in left_out]
        return replace(empty, summary="\n\n".join([empty.summary, *notes]))
    document = publication.wanted.document
    document = document | {"warnings": [*document["warnings"], *left_out]}
    texts, places = excerpts(document["findings"]), _places(publication.wanted)
    return check_run(document, texts, places, asked_of(publication.wanted))


def comment_of(publication: Publication) -> str:
    """Return the comment that a publication asks for."""
    document = publication.wanted.document if publication.wanted else {}
    return comment_body(document, excerpts(document["findings"]))


def _places(verdict: Verdict) -> dict[int, Place]:
    """Return where the failing tests stand, as far as their reports told; one query."""
    wanted = [finding["result_id"] for finding in verdict.document["findings"]]
    told = Result.objects.filter(pk__in=wanted, line__isnull=False).exclude(case__file="")
    rows = told.values_list("pk", "case__file", "line")
    return {pk: Place(file, max(line or 1, 1)) for pk, file, line in rows}
