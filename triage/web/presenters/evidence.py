"""What a finding rests on: the failure's text, its calls, and the numbers of the judgement."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from triage.models import Finding, Observation, Result

# A page of failures has to load on a train: the whole text is in the report of CI.
MOST_CHARACTERS = 2_000
MOST_CALLS_PER_FINDING = 12
MOST_CALLS = 2_000


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call behind a finding."""

    attempt: int
    attempt_try: int
    number: int
    expected: str | None
    observed: str | None
    is_flip: bool
    confidence: float | None
    margin: float | None


@dataclass(frozen=True, slots=True)
class Fact:
    """One number that the judgement used, and what it is."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that is folded away beneath a finding."""

    text: str
    # Whether there was a whole text, and it was deleted for its age.
    is_pruned: bool
    cut_characters: int
    calls: Sequence[Call]
    calls_left_out: int
    facts: Sequence[Fact]


def calls_by_result(result_ids: Iterable[int]) -> dict[int, list[Call]]:
    """Return the recorded calls per result; one query."""
    rows = Observation.objects.filter(result_id__in=set(result_ids)).order_by(
        "result__run__attempt", "result_id", "try_index", "call_index"
    )
    found: dict[int, list[Call]] = defaultdict(list)
    for each in rows.select_related("result__run").only(
        *("try_index", "call_index", "expected", "observed", "confidence", "margin"),
        *("result__run__attempt",),
    )[:MOST_CALLS]:
        found[each.result_id].append(_call(each))
    return found


def evidence(finding: Finding, calls: Mapping[int, Sequence[Call]]) -> Evidence:
    """Return the evidence of a finding whose result is loaded with its text."""
    text = failure_text(finding.result)
    mine = [call for result in result_ids(finding) for call in calls.get(result, ())]
    return Evidence(
        text=text[:MOST_CHARACTERS],
        is_pruned=finding.result.text_id is None and bool(finding.result.signature),
        cut_characters=_length(finding.result, text) - len(text[:MOST_CHARACTERS]),
        calls=mine[:MOST_CALLS_PER_FINDING],
        calls_left_out=len(mine[MOST_CALLS_PER_FINDING:]),
        facts=facts(finding.receipt),
    )


def result_ids(finding: Finding) -> Sequence[int]:
    """Return the results that were judged together: the first one and its repeats."""
    return finding.receipt.get("results") or [finding.result_id]


def failure_text(result: Result) -> str:
    """Return what the test said when it failed."""
    return result.text.text if result.text else result.message


def facts(receipt: Mapping[str, Any]) -> list[Fact]:
    """Return the numbers of a receipt in the order in which they were used."""
    found = [*_history(receipt.get("history") or {})]
    prior = receipt.get("prior")
    if prior:
        found.append(Fact("Prior of the rate", f"Beta({prior['a']:.3g}, {prior['b']:.3g})"))
    if receipt.get("log_e") is not None:
        power = receipt["log_e"] / math.log(10)
        found.append(Fact("Evidence for a change (E-value)", f"10 to the power of {power:.1f}"))
    chance = receipt.get("probability_regression")
    if chance is not None:
        found.append(Fact("Probability of a regression", _chance(chance)))
    passes = receipt.get("second_pass")
    if passes:
        done = f"{passes['done']} of {passes['needed']} repeats done, {passes['agree']} as expected"
        found.append(Fact("Second pass", done))
    if receipt.get("tie_break"):
        found.append(Fact("Tie-break", str(receipt["tie_break"]).replace("_", " ")))
    for name, value in (receipt.get("thresholds") or {}).items():
        found.append(Fact(name.replace("_", " ").capitalize(), str(value)))
    return found


def _history(history: Mapping[str, Any]) -> Iterable[Fact]:
    if not history:
        return
    parts = [f"{history[name]} {name}" for name in DIFFERENCES if history.get(name)]
    differing = ", ".join(parts) or "none differed"
    yield Fact("Calls before this run", f"{history.get('calls', 0)} ({differing})")
    labels = [
        f"{expected} → {observed} × {calls}"
        for expected, observed, calls in history.get("labels", ())
    ]
    if labels:
        yield Fact("Labels before this run", ", ".join(labels[:MOST_CALLS_PER_FINDING]))


DIFFERENCES = ("text", "label", "invalid", "unknown", "crash", "provider")


def _chance(probability: float) -> str:
    """Return a probability that never claims certainty."""
    if probability > 0.999:
        return "more than 99.9\N{NO-BREAK SPACE}%"
    if probability < 0.001:
        return "less than 0.1\N{NO-BREAK SPACE}%"
    return f"{100 * probability:.1f}\N{NO-BREAK SPACE}%"


def _length(result: Result, text: str) -> int:
    return max(result.text.length, len(text)) if result.text else len(text)


def _call(each: Observation) -> Call:
    return Call(
        attempt=each.result.run.attempt,
        attempt_try=each.try_index + 1,
        number=each.call_index + 1,
        expected=each.expected,
        observed=each.observed,
        is_flip=each.expected is not None and each.expected != each.observed,
        confidence=each.confidence,
        margin=each.margin,
    )
