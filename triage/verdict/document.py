"""The verdict as a document: the same JSON from the command line, the API and the pages."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from django.conf import settings

from budgets.second_pass import ALPHA, MIN_HISTORY_CALLS
from triage.models import Run
from triage.policy.owners import owners_of
from triage.terms import Conclusion, Difference, FindingKind, Standing
from triage.verdict.completeness import Completeness
from triage.verdict.counting import RunCounts, RunFailures
from triage.verdict.judgements import Judgement
from triage.verdict.rules import EXIT_CODES, RULES_VERSION, Ground
from triage.verdict.sentences import headline, next_step, of_fork, reason
from triage.verdict.signatures import Elsewhere, clusters
from triage.verdict.standings import BudgetStanding


@dataclass(frozen=True, slots=True)
class Summary:
    """What is known of a run as a whole."""

    conclusion: Conclusion
    counts: RunCounts
    failures: RunFailures
    repository_budget: BudgetStanding
    is_cut_off: bool
    completeness: Completeness
    # Sentences about epochs that the run opened and models that it did not pin.
    notes: tuple[str, ...] = ()
    # By signature of the failure.
    elsewhere: Mapping[str, Elsewhere] = field(default_factory=dict)
    # SHA-256 of the policy that judged; empty where the defaults did.
    policy_sha256: str = ""


def verdict_document(
    run: Run, summary: Summary, judgements: Sequence[Judgement]
) -> dict[str, object]:
    """Return the verdict of a run as it is answered everywhere."""
    owners = run.repository.codeowners
    findings = [_finding(each, summary, owners) for each in judgements]
    counts = summary.counts
    so_far = summary.completeness.so_far
    line = headline(summary.conclusion, findings, counts.cases, summary.failures, so_far)
    if not run.is_trusted:
        line = of_fork(line)
    return {
        "id": run.pk,
        "conclusion": summary.conclusion.value,
        "exit_code": EXIT_CODES[summary.conclusion],
        "headline": {"icon": line.icon, "text": line.text, "tone": line.tone},
        "repo": run.repository.full_name,
        "sha": run.sha,
        "branch": run.branch,
        "pr": run.pr,
        "base_sha": run.base_sha,
        "run_id": run.ci_run_id,
        "attempt": run.attempt,
        "is_trusted": run.is_trusted,
        "parts": {"got": counts.parts_got, "expected": counts.parts_expected},
        "completeness": _completeness(run, summary.completeness),
        "counts": {
            "passed": counts.passed,
            "failed": counts.failed,
            "errored": counts.errored,
            "skipped": counts.skipped,
            "llm": counts.llm,
        },
        "findings": findings,
        "clusters": clusters(judgements),
        "suite": _suite(summary.failures),
        "budget": summary.repository_budget.as_json(),
        "second_pass": _second_pass(judgements),
        "policy": {"sha256": summary.policy_sha256 or None},
        "warnings": _warnings(summary, judgements),
        "url": f"{settings.TIEBREAK_URL}/runs/{run.pk}/",
    }


def _completeness(run: Run, found: Completeness) -> dict[str, str | None]:
    return {
        "state": found.state.value,
        "closed_at": run.closed_at.isoformat() if run.closed_at else None,
        "closed_by": run.closed_by or None,
    }


def receipt(each: Judgement) -> dict[str, object]:
    """Return what a finding was made of, so that it can be made again."""
    return {
        "rules": RULES_VERSION,
        "ground": each.ground.value,
        "rate": asdict(each.rate),
        "history": each.question.history.as_json(),
        "log_e": _finite(each.weight.log_e),
        "probability_regression": each.weight.probability_moved,
        "budget": each.budget.as_json() if each.budget else None,
        "tie_break": _tie_break(each),
        "rule": each.tie_break.source,
        "second_pass": _pass_state(each),
        "margin": each.weight.margin.as_json() if each.weight.margin else None,
        "thresholds": {"alpha": ALPHA, "min_history_calls": MIN_HISTORY_CALLS},
        "prior": asdict(each.prior),
        "base_sha": each.base.sha if each.base else None,
        "mute": _mute(each),
        "allowed": _allowed(each),
        "results": [result.pk for result in each.question.results],
        "next_step": next_step(each),
    }


def _finding(each: Judgement, summary: Summary, codeowners: str) -> dict[str, object]:
    result = each.question.result
    elsewhere = summary.elsewhere.get(result.signature)
    return {
        "case": result.case.title,
        "case_id": result.case_id,
        "result_id": result.pk,
        "owners": list(owners_of(codeowners, result.case)),
        "part": each.question.part_name,
        "finding": each.kind.value,
        "difference": each.question.difference.value,
        "expected": each.expected,
        "observed": each.observed,
        "confidence": each.confidence,
        "margin": each.margin,
        "rate": asdict(each.rate),
        "probability_regression": each.weight.probability_moved,
        "budget": each.budget.as_json() if each.budget else None,
        "tie_break": _tie_break(each),
        "rule": each.tie_break.source or None,
        "second_pass": _pass_state(each),
        "mute": _mute(each),
        "allowed": _allowed(each),
        "reason": reason(each),
        "next_step": next_step(each),
        "elsewhere": elsewhere.as_json() if elsewhere else None,
    }


def _tie_break(each: Judgement) -> str | None:
    return each.tie_break.policy.value if each.question.difference is Difference.LABEL else None


def _mute(each: Judgement) -> dict[str, str] | None:
    if each.mute is None:
        return None
    mute = each.mute
    return {"owner": mute.owner, "reason": mute.reason, "until": mute.until.isoformat()}


def _allowed(each: Judgement) -> dict[str, str] | None:
    return {"by": each.allowed.who, "at": each.allowed.at.isoformat()} if each.allowed else None


def _pass_state(each: Judgement) -> dict[str, int] | None:
    if each.weight.log_e is None:
        return None
    weight = each.weight
    needed = weight.repeats_done + weight.repeats_wanted
    return {"needed": needed, "done": weight.repeats_done, "agree": weight.repeats_agreeing}


def _second_pass(judgements: Sequence[Judgement]) -> dict[str, object]:
    """Return the plan: which cases to repeat, how often, and why."""
    asked = [each for each in judgements if each.ground is Ground.REPEAT]
    cases = [
        {
            "case": each.question.result.case.title,
            "file": each.question.result.case.file,
            "classname": each.question.result.case.classname,
            "name": each.question.result.case.name,
            "part": each.question.part_name,
            "repeats": each.weight.repeats_wanted,
            "reason": reason(each),
        }
        for each in asked
    ]
    return {
        "cases": cases,
        "repeats": max((each.weight.repeats_wanted for each in asked), default=0),
    }


def _suite(failures: RunFailures) -> dict[str, object]:
    return {
        "expected_failures": round(failures.expected, 2),
        "observed_failures": failures.observed,
        "p_value": round(failures.p_value, 6),
        "is_burst": failures.is_burst,
    }


def _warnings(summary: Summary, judgements: Sequence[Judgement]) -> list[str]:
    warnings = list(summary.notes)
    warned = sum(_only_warns(each) for each in judgements)
    if warned:
        cases = "case is" if warned == 1 else "cases are"
        warnings.append(f"{warned} {cases} over its budget, which only warns by policy.")
    failures, budget = summary.failures, summary.repository_budget
    if summary.is_cut_off:
        warnings.append("INCOMPLETE: a report was cut off; cases after the cut are not known.")
    warnings += summary.completeness.warnings
    missing = summary.counts.parts_expected - summary.counts.parts_got
    if missing:
        warnings.append(f"{missing} of {summary.counts.parts_expected} parts have not reported.")
    if failures.is_burst:
        warnings.append(
            f"{failures.observed} failures where {failures.expected:.1f} were due "
            f"(p = {failures.p_value:.2g}): look for one cause, such as the provider or the "
            "snapshot, before looking at single cases."
        )
    if budget.standing is Standing.BURNING:
        warnings.append(
            "The whole suite differs in wording more often than it was accepted to, a little in "
            "each case: look at the provider or the snapshot."
        )
    if budget.standing is Standing.SPENT:
        warnings.append(
            f"The repository's budget is spent: {budget.spent} of {budget.limit} divergences in "
            f"{budget.calls} calls, at {100 * budget.rate_per_call:.1f} % per call."
        )
    return warnings


def _only_warns(each: Judgement) -> bool:
    """Whether a budget that is used up pays all the same, because its policy says warn."""
    return each.kind is FindingKind.EXPECTED_FLAKE and bool(each.budget and each.budget.is_used_up)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
