"""The one comment on a pull request: the decision, every failing case, what to do, the evidence."""

from collections.abc import Mapping, Sequence
from typing import Any

from triage.publish.inert import block, code, sentence
from triage.terms import Difference, FindingKind
from triage.verdict.rules import SEVERITY

# A forge takes 65,536 characters; counted in bytes, so that no way of counting finds more.
MOST_BYTES = 65_536
# For the line that counts what did not fit.
RESERVE = 200
MARKER = "<!-- tiebreak: this comment is edited in place -->"
MOST_STEPS = 3
MOST_EXCERPTS = 10
SHORT_SHA = 7

WORDS = {
    FindingKind.LABEL_REGRESSION: "❌ label regression",
    FindingKind.REGRESSION: "❌ regression",
    FindingKind.OVER_BUDGET: "❌ over budget",
    FindingKind.NEAR_TIE: "⚠️ near tie",
    FindingKind.UNDECIDED: "⚠️ undecided",
    FindingKind.PROVIDER_ERROR: "⚪ provider error",
    FindingKind.MUTED: "🔇 muted",
    FindingKind.SETTLED_TIE: "✅ settled tie",
    FindingKind.EXPECTED_FLAKE: "🌀 expected flake",
    FindingKind.INHERITED: "⚪ inherited",
}
ALLOWED = "🟡 over budget, allowed once"
NOTHING_TO_DO = "Nothing to fix: what fails here is explained by what is known of these tests."
# What needs no reader's eye is folded away.
CALM = frozenset({FindingKind.EXPECTED_FLAKE, FindingKind.SETTLED_TIE, FindingKind.INHERITED})
TABLE_HEAD = (
    "| Verdict | Test | Label: expected → got | Evidence | Flake budget |\n|---|---|---|---|---|"
)


def comment_body(
    document: Mapping[str, Any], texts: Mapping[int, str], answers: Sequence[str] = ()
) -> str:
    """Return the comment for a verdict.

    Parameters
    ----------
    document : mapping
        The verdict document.
    texts : mapping of int to str
        Failure texts by result id, from `triage.publish.excerpts`.
    answers : sequence of str
        Markdown on what became of what was asked for on the check; beneath the decision.

    Returns
    -------
    str
        Markdown within the forge's limit; rows that do not fit are counted.
    """
    findings = document["findings"]
    head = [MARKER, f"### {_headline(document)}", _facts(document), *answers, *_warnings(document)]
    tail = [_next(findings), *_evidence(findings, texts), _footer(document)]
    room = MOST_BYTES - RESERVE - _size([*head, *tail, TABLE_HEAD])
    return "\n\n".join([*head, *_table(findings, room, document["url"]), *filter(None, tail)])


def _size(parts: Sequence[str]) -> int:
    return sum(len(part.encode()) + len("\n\n") for part in parts)


def _headline(document: Mapping[str, Any]) -> str:
    line = document["headline"]
    return f"{line['icon']} {sentence(line['text'])}"


def _facts(document: Mapping[str, Any]) -> str:
    counts, budget = document["counts"], document["budget"]
    failed = counts["failed"] + counts["errored"]
    tests = counts["passed"] + failed + counts["skipped"]
    against = f" against {code(document['base_sha'][:SHORT_SHA])}" if document["base_sha"] else ""
    return (
        f"{code(document['sha'][:SHORT_SHA])}{against} · {tests} tests: {counts['passed']} passed, "
        f"{failed} failed · repository budget {budget['spent']} of {budget['limit']} used"
    )


def _warnings(document: Mapping[str, Any]) -> list[str]:
    return [f"> {sentence(warning)}" for warning in document["warnings"]]


def _table(findings: Sequence[Mapping[str, Any]], room: int, url: str) -> list[str]:
    if not findings:
        return []
    rows: list[str] = []
    for finding in findings:
        row = _row(finding)
        room -= len(row.encode()) + len("\n")
        if room < 0:
            break
        rows.append(row)
    table = [TABLE_HEAD + "".join(f"\n{row}" for row in rows)]
    left_out = len(findings) - len(rows)
    if left_out:
        table.append(f"{left_out} more failing cases are in the [full report]({url}).")
    return table


def _row(finding: Mapping[str, Any]) -> str:
    word = ALLOWED if finding.get("allowed") else WORDS[FindingKind(finding["finding"])]
    part = f" {code(finding['part'])}" if finding["part"] else ""
    owners = "".join(f" · {code(owner)}" for owner in finding.get("owners") or ())
    cells = [
        word,
        _test(finding["case"]) + part + owners,
        _labels(finding),
        sentence(finding["reason"]),
        _budget(finding),
    ]
    return f"| {' | '.join(cells)} |"


def _test(case: str) -> str:
    """Return a case whose file and name may stand on lines of their own: code spans do not wrap."""
    place, mark, name = case.partition("::")
    return f"{code(place + mark)} {code(name)}" if place.strip() and name.strip() else code(case)


def _labels(finding: Mapping[str, Any]) -> str:
    expected, observed = finding["expected"], finding["observed"]
    if expected is None:
        return "not told"
    if finding["difference"] == Difference.LABEL and observed is not None:
        return f"{code(expected)} → **{code(observed)}**"
    return f"{code(expected)} ✓" if observed == expected else code(expected)


def _budget(finding: Mapping[str, Any]) -> str:
    if finding["difference"] == Difference.LABEL:
        return "never charged: label flips are not flakes"
    budget = finding["budget"]
    if not budget:
        return "none"
    return f"{budget['spent']} of {budget['limit']} used"


def _next(findings: Sequence[Mapping[str, Any]]) -> str:
    """Return the most urgent steps, each once; that there is none, where all of it passes."""
    steps: list[str] = []
    for kind in SEVERITY:
        told = [finding for finding in findings if finding["finding"] == kind]
        if told and kind not in CALM:
            names = code(told[0]["case"]) + (f" and {len(told) - 1} more" if told[1:] else "")
            steps.append(f"{names}: {sentence(told[0]['next_step'])}")
    if not findings:
        return ""
    lines = [f"{number}. {step}" for number, step in enumerate(steps[:MOST_STEPS], 1)]
    return "\n".join(["**Next**", "", *(lines or [NOTHING_TO_DO])])


def _evidence(findings: Sequence[Mapping[str, Any]], texts: Mapping[int, str]) -> list[str]:
    told = [each for each in findings if texts.get(each["result_id"])]
    loud = [_excerpt(each, texts) for each in told if each["finding"] not in CALM][:MOST_EXCERPTS]
    calm = [_excerpt(each, texts) for each in told if each["finding"] in CALM][:MOST_EXCERPTS]
    parts = ["**Evidence**", *loud] if loud else []
    if calm:
        count = "1 failure that passes" if len(calm) == 1 else f"{len(calm)} failures that pass"
        summary = f"<details><summary>Evidence for {count}</summary>"
        parts += [summary, *calm, "</details>"]
    return parts


def _excerpt(finding: Mapping[str, Any], texts: Mapping[int, str]) -> str:
    return f"{code(finding['case'])}\n\n{block(texts[finding['result_id']])}"


def _footer(document: Mapping[str, Any]) -> str:
    parts = document["parts"]
    return (
        f"<sub>[Full report]({document['url']}) · attempt {document['attempt']} · "
        f"{parts['got']} of {parts['expected']} parts</sub>"
    )
