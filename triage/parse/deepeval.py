"""deepeval's .latest_test_run.json: outputs and expected outputs that its JUnit leaves out."""

from typing import Any

from triage.parse.report import Evidence, Report
from triage.parse.side_files import CaseRef, Told, digest, observed
from triage.terms import Outcome

TOOL = "deepeval"
SIGN = "Metrics: "
MISSING_EVIDENCE = (
    "deepeval's JUnit holds scores, and outputs only where a metric quotes them; upload "
    ".deepeval/.latest_test_run.json beside the XML, or tell the labels in the test with "
    "record_property('tiebreak.expected_label', ...) and record_property('tiebreak.label', ...)"
)


def is_deepeval(report: Report) -> bool:
    """Whether a failure of a report is one of deepeval's metrics."""
    return report.dialect == "pytest" and any(
        SIGN in failure.message and "(score: " in failure.message
        for result in report.results
        if result.outcome is not Outcome.PASSED
        for attempt in result.tries
        for failure in attempt.failures
    )


def read_test_run(data: Any) -> dict[CaseRef, Told] | None:
    """Return what a deepeval test run tells per case, or ``None`` when the data is none."""
    run = data.get("testRunData", data) if isinstance(data, dict) else None
    cases = run.get("testCases") if isinstance(run, dict) else None
    if not isinstance(cases, list):
        return None
    named: dict[str, list[dict[str, Any]]] = {}
    for case in cases:
        if isinstance(case, dict) and isinstance(case.get("name"), str) and "input" in case:
            named.setdefault(case["name"], []).append(case)
    return {("", name): Told(_evidence(group)) for name, group in named.items()} or None


def _evidence(cases: list[dict[str, Any]]) -> Evidence:
    """Return the evidence of one test, which may have judged several outputs."""
    outputs = [case.get("actualOutput") for case in cases]
    is_single = len(cases) == 1
    return Evidence(
        calls=len(cases),
        output_sha256=digest(outputs[0]) if is_single else None,
        prompt_sha256=digest(cases[0].get("input")) if is_single else None,
        observations=tuple(
            each
            for case, output in zip(cases, outputs, strict=True)
            for each in observed(_text(case.get("expectedOutput")), _text(output))
        ),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
