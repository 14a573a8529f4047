"""Read the cases of the token's repository, and everything that is known of one."""

from dataclasses import asdict
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Path, Query, Router

from budgets.attribution import Association
from budgets.intervals import credible
from budgets.priors import DEFAULT_PRIOR
from triage.api.application import ReadingToken
from triage.api.pages import PageNumber, PageSize, page_of, told
from triage.api.schemas import CaseBody, CasesPage
from triage.errors import NotFoundError
from triage.history.attribution import associations_of_case
from triage.history.conditions import Conditions, conditions_of_case
from triage.history.counsel import counsel
from triage.models import Case, Epoch, EpochLabel
from triage.upload.callers import Caller

router = Router(tags=["cases"], auth=ReadingToken())

HIGHEST_ID = 2**63 - 1
MOST_EPOCHS = 30
NOTHING_KNOWN: dict[str, Any] = {"rate": None, "conditions": None, "advice": []}
CaseId = Annotated[int, Path(ge=1, le=HIGHEST_ID, description="Number of the case.")]
Wanted = Annotated[str, Query("", max_length=200, description="A part of the title.")]
OnlyLlm = Annotated[bool, Query(False, description="LLM cases only.")]  # noqa: FBT003


@router.get("/cases", summary="List cases, the last seen first", response=CasesPage)
def list_cases(
    request: HttpRequest,
    q: Wanted = "",
    llm: OnlyLlm = False,  # noqa: FBT002
    page: PageNumber = 1,
    size: PageSize = 50,
) -> dict[str, Any]:
    """Return the cases of the token's repository."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    cases = Case.objects.filter(repository=caller.repository, title__icontains=q)
    if llm:
        cases = cases.filter(is_llm=True)
    listed = page_of(cases.order_by("-last_seen_at", "-pk"), page, size)
    return {
        **told(caller.repository, listed),
        "cases": [_case(each) for each in listed],
    }


@router.get("/cases/{case_id}", summary="Read a case", response=CaseBody)
def read_case(request: HttpRequest, case_id: CaseId) -> dict[str, Any]:
    """Return a case with its newest epochs, its rate, labels, conditions and advice."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    case = Case.objects.filter(pk=case_id, repository=caller.repository).first()
    if case is None:
        raise NotFoundError(f"there is no case {case_id} in {caller.repository.full_name}")
    epochs = list(Epoch.objects.filter(case=case).order_by("-number")[:MOST_EPOCHS])
    found = associations_of_case(case)
    return {
        **_case(case),
        "epochs": [_epoch(each) for each in epochs],
        "labels": _labels(case),
        **(_insight(case, epochs[0], found) if epochs else NOTHING_KNOWN),
        "associations": [asdict(each) for each in found],
    }


def _case(case: Case) -> dict[str, Any]:
    return {
        "case_id": case.pk,
        "case": case.title,
        "file": case.file,
        "classname": case.classname,
        "name": case.name,
        "is_llm": case.is_llm,
        "first_seen_at": case.first_seen_at.isoformat(),
        "last_seen_at": case.last_seen_at.isoformat(),
    }


def _epoch(epoch: Epoch) -> dict[str, Any]:
    names = (
        "number", "model_snapshot", "model_requested", "prompt_sha256", "test_sha256", "calls",
        "text", "label", "invalid", "unknown", "crash", "provider", "accepted_rate",
    )  # fmt: skip
    return {name: getattr(epoch, name) for name in names} | {
        "first_seen_at": epoch.first_seen_at.isoformat(),
        "last_seen_at": epoch.last_seen_at.isoformat(),
    }


def _labels(case: Case) -> list[dict[str, Any]]:
    rows = EpochLabel.objects.filter(epoch__case=case, calls__gt=0)
    counts = rows.order_by("epoch__number", "expected", "observed").values_list(
        "epoch__number", "expected", "observed", "calls"
    )
    return [
        dict(zip(("epoch", "expected", "observed", "calls"), row, strict=True)) for row in counts
    ]


def _insight(case: Case, epoch: Epoch, found: list[Association]) -> dict[str, Any]:
    """Return what the newest epoch lets one say."""
    known = conditions_of_case(case, epoch)
    return {
        "rate": _rate(known),
        "conditions": asdict(known) | {"applies": str(known.applies)},
        "advice": counsel(known, epoch, found),
    }


def _rate(known: Conditions) -> dict[str, Any]:
    """Return the divergences per call of any kind, with their 95 % credible interval."""
    interval = credible(known.divergent, known.calls, DEFAULT_PRIOR)
    return {
        "divergent": known.divergent,
        "calls": known.calls,
        "low": float(interval.low),
        "high": float(interval.high),
    }
