"""The schema of the policy for editors, and a check of one for CI."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from ninja import Router

from triage.api.schemas import PolicyCheck
from triage.errors import InvalidRequestError
from triage.models import Case
from triage.policy.document import Policy, policy_schema
from triage.policy.matching import budget_rules, label_rules
from triage.policy.reading import decode, read_policy
from triage.upload.callers import Caller

router = Router(tags=["policy"])

MOST_CASES = 200
FIELD = "policy"


@router.get("/policy.schema.json", auth=None, summary="JSON schema of .tiebreak.yml", response=dict)
def read_schema(request: HttpRequest) -> JsonResponse:
    """Return the schema by which editors complete and check a policy."""
    return JsonResponse(policy_schema(), content_type="application/schema+json")


@router.post("/policy/check", summary="Check a policy", response=PolicyCheck, exclude_unset=True)
def check_policy(request: HttpRequest) -> dict[str, Any]:
    """Return the normalised policy and which rule matches which case, or every error.

    The policy is the body of the request, or its form field "policy".
    """
    caller: Caller = request.auth  # type: ignore[attr-defined]
    text, refusal = decode(_body(request))
    reading = refusal or read_policy(text)
    if reading.policy is None:
        return {"is_legal": False, "errors": [each.as_json() for each in reading.errors]}
    return {
        "is_legal": True,
        "errors": [],
        "policy": reading.policy.as_json(),
        "cases": _matches(caller.repository_id, reading.policy),
    }


def _body(request: HttpRequest) -> bytes:
    file = request.FILES.get(FIELD)
    if file:
        return bytes(file.read())
    if FIELD in request.POST:
        return request.POST[FIELD].encode()
    if not request.body:
        raise InvalidRequestError("no policy was sent; send it as the body or the field 'policy'")
    return request.body


def _matches(repository_id: int, policy: Policy) -> list[dict[str, Any]]:
    budgets, labels = budget_rules(policy), label_rules(policy)
    cases = Case.objects.filter(repository_id=repository_id, is_llm=True).order_by("title")
    found = []
    for case in cases[:MOST_CASES]:
        budget, label = budgets.first(case), labels.first(case)
        found.append(
            {
                "case": case.title,
                "budget": budget.sentence if budget else None,
                "labels": label.sentence if label else None,
            }
        )
    return found
