"""Read what a test told about its LLM calls out of its properties."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from triage.parse.report import NO_EVIDENCE, Evidence, Observation, ReadWarning
from triage.parse.storable import storable
from triage.parse.xml_stream import RawCase, RawSuite
from triage.terms import Assertion

MOST_LABELS = 500
# Labels and names of models are far shorter; the rest is a mistake of the test.
LONGEST_VALUE = 4_000
MOST_OBSERVATIONS = 1_000
# pytest-evals marks its cases by properties that say nothing else we know: they call an LLM.
MARKED = Evidence()
# Properties that were read before are read once; beyond this they hardly repeat.
MOST_KNOWN = 10_000
LONGEST_NAME_SHOWN = 200

# Names of the OpenTelemetry GenAI conventions, our own, and those seen in the wild for the same.
TEXT_FIELDS = {
    "gen_ai.request.model": "model_requested",
    "gen_ai.response.model": "model_answered",
    "gen_ai.provider.name": "provider",
    "gen_ai.system": "provider",
    "gen_ai.openai.response.system_fingerprint": "system_fingerprint",
    "openai.response.system_fingerprint": "system_fingerprint",
    "gen_ai.response.system_fingerprint": "system_fingerprint",
    "gen_ai.response.id": "response_id",
    "tiebreak.output_sha256": "output_sha256",
    "tiebreak.prompt_sha256": "prompt_sha256",
    "tiebreak.test_sha256": "test_sha256",
}
COUNT_FIELDS = {
    "gen_ai.request.seed": "seed",
    "gen_ai.usage.cache_read.input_tokens": "cached_tokens",
    "gen_ai.usage.input_tokens": "input_tokens",
    "tiebreak.accepted_prediction_tokens": "accepted_prediction_tokens",
    "tiebreak.calls": "calls",
}
EXPECTED_NAMES = frozenset({"tiebreak.expected_label", "label.expected", "evals.expected"})
OBSERVED_NAMES = frozenset(
    {"tiebreak.label", "label.actual", "llm.label.actual", "evals.actual", "evals.label"}
)
PREFIXES = ("gen_ai.", "tiebreak.", "openai.", "label.", "llm.label.", "evals.")


@dataclass(slots=True)
class _Draft:
    """An evidence in the making, with what was wrong in it."""

    fields: dict[str, Any] = field(default_factory=dict)
    expected: list[str] = field(default_factory=list)
    observed: list[str] = field(default_factory=list)
    confidences: list[float] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def is_evidence(name: str) -> bool:
    """Whether a property may tell something of an LLM call."""
    return name.startswith(PREFIXES)


def read_evidence(properties: Iterable[tuple[str, str]]) -> tuple[Evidence, list[str]]:
    """Return the evidence that properties hold, and a warning per value that is not legal.

    Parameters
    ----------
    properties : iterable of (name, value)
        Those of the suite first, so that a case's own values win; a name may repeat.
    """
    draft = _Draft()
    is_marked = False
    for name, value in properties:
        reader = READERS.get(name)
        if reader:
            reader(draft, name, value.strip())
        is_marked = is_marked or name.startswith("evals.")
    observations = (*draft.observations, *_paired(draft))[:MOST_OBSERVATIONS]
    if not draft.fields and not observations:
        return MARKED if is_marked else NO_EVIDENCE, draft.warnings
    return Evidence(**draft.fields, observations=observations), draft.warnings


class SuiteEvidence:
    """Evidence of the cases of one document, with their suites' word where they tell nothing."""

    def __init__(self, warnings: list[ReadWarning]) -> None:
        self._warnings = warnings
        self._suites: dict[int, Evidence] = {}
        # Cases of one suite tell the same of model and label more often than not.
        self._known: dict[tuple[tuple[str, str], ...], Evidence] = {}

    def tells_of_all(self, suites: Iterable[RawSuite]) -> bool:
        """Whether a suite tells anything, so that even a case without properties has evidence."""
        return any(is_evidence(name) for suite in suites for name, _ in suite.properties)

    def of_case(self, raw: RawCase) -> Evidence:
        """Return what a case tells; ``NO_EVIDENCE`` itself when neither it nor a suite does."""
        suite = raw.suite
        defaults = self._suites.get(id(suite))
        if defaults is None:
            defaults = self._of_suite(suite)
        if not raw.properties:
            return defaults
        told = tuple(raw.properties)
        evidence = self._known.get(told)
        if evidence is None:
            where = raw.attributes.get("name", "")[:LONGEST_NAME_SHOWN]
            evidence = self._read(told, where, raw.line)
        if evidence is NO_EVIDENCE:
            return defaults
        return with_defaults(evidence, defaults)

    def _of_suite(self, suite: RawSuite) -> Evidence:
        above = NO_EVIDENCE if suite.parent is None else self._suites.get(id(suite.parent))
        if above is None and suite.parent is not None:
            above = self._of_suite(suite.parent)
        told = tuple((name, value) for name, value in suite.properties if is_evidence(name))
        evidence = self._read(told, "suite", suite.line) if told else NO_EVIDENCE
        known = above or NO_EVIDENCE
        if evidence is not NO_EVIDENCE:
            known = with_defaults(evidence, known)
        self._suites[id(suite)] = known
        return known

    def _read(self, told: tuple[tuple[str, str], ...], where: str, line: int) -> Evidence:
        evidence, problems = read_evidence(told)
        self._warnings += [ReadWarning(f"{where}: {each}", line or None) for each in problems]
        if not problems and len(self._known) < MOST_KNOWN:
            self._known[told] = evidence
        return evidence


def with_defaults(evidence: Evidence, defaults: Evidence) -> Evidence:
    """Return evidence with what a suite told where the case told nothing itself."""
    if defaults is NO_EVIDENCE:
        return evidence
    missing = {
        name: getattr(defaults, name)
        for name in Evidence.__dataclass_fields__
        if getattr(evidence, name) in (None, ())
    }
    return replace(evidence, **missing)


def _paired(draft: _Draft) -> list[Observation]:
    """Return one observation per repeated pair of expected and observed label."""
    count = max(len(draft.expected), len(draft.observed))
    expected = _stretched(draft.expected, count)
    confidences = draft.confidences if len(draft.confidences) == len(draft.observed) else []
    margins = draft.margins if len(draft.margins) == len(draft.observed) else []
    return [
        Observation(
            expected[i] if i < len(expected) else None,
            draft.observed[i] if i < len(draft.observed) else None,
            confidences[i] if i < len(confidences) else None,
            margins[i] if i < len(margins) else None,
        )
        for i in range(count)
    ]


def _stretched(labels: list[str], count: int) -> list[str]:
    """One expected label serves all calls of a case."""
    return labels * count if len(labels) == 1 else labels


def _text(draft: _Draft, name: str, value: str) -> None:
    if value:
        draft.fields[TEXT_FIELDS[name]] = value[:LONGEST_VALUE]


def _count(draft: _Draft, name: str, value: str) -> None:
    try:
        number = int(value)
    except ValueError:
        number = -1
    if number < 0 or (name == "tiebreak.calls" and number < 1) or number > 2**53:
        draft.warnings.append(f"{name} must be a whole number from 0, got {value[:80]!r}")
        return
    draft.fields[COUNT_FIELDS[name]] = number


def _temperature(draft: _Draft, name: str, value: str) -> None:
    number = _number(value)
    if number is None or number < 0:
        draft.warnings.append(f"{name} must be a number from 0, got {value[:80]!r}")
        return
    draft.fields["temperature"] = number


def _expected(draft: _Draft, name: str, value: str) -> None:
    draft.expected.append(value[:LONGEST_VALUE])


def _observed(draft: _Draft, name: str, value: str) -> None:
    draft.observed.append(value[:LONGEST_VALUE])


def _confidence(draft: _Draft, name: str, value: str) -> None:
    number = _confidence_of(value)
    if number is None:
        draft.warnings.append(f"{name} must lie in [0, 1], got {value[:80]!r}")
        return
    draft.confidences.append(number)


def _margin(draft: _Draft, name: str, value: str) -> None:
    number = _margin_of(value)
    if number is None:
        draft.warnings.append(f"{name} must be a number of nats from 0, got {value[:80]!r}")
        return
    draft.margins.append(number)


def _assertion(draft: _Draft, name: str, value: str) -> None:
    try:
        draft.fields["assertion"] = Assertion(value)
    except ValueError:
        legal = ", ".join(Assertion)
        draft.warnings.append(f"{name} must be one of {legal}, got {value[:80]!r}")


def _labels(draft: _Draft, name: str, value: str) -> None:
    try:
        told = json.loads(value) if value.startswith("[") else value.split(",")
        named = [storable(str(label).strip()[:LONGEST_VALUE]) for label in told[:MOST_LABELS]]
        labels = tuple(dict.fromkeys(named))
    except (ValueError, TypeError, RecursionError):
        draft.warnings.append(f"{name} must be a JSON array or a comma list, got {value[:80]!r}")
        return
    draft.fields["labels"] = tuple(label for label in labels if label)


def _observations(draft: _Draft, name: str, value: str) -> None:
    try:
        told = json.loads(value)[:MOST_OBSERVATIONS]
        draft.observations += [_observation(each) for each in told]
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        draft.warnings.append(
            f"{name} must be a JSON array of objects with id, expected, observed, confidence and "
            f"margin, got {value[:80]!r}"
        )


def _observation(told: dict[str, Any]) -> Observation:
    return Observation(
        expected=_label(told.get("expected")),
        observed=_label(told.get("observed")),
        confidence=_confidence_of(told.get("confidence")),
        margin=_margin_of(told.get("margin")),
        call_id=_label(told.get("id")),
    )


def _label(value: object) -> str | None:
    return None if value is None else storable(str(value)[:LONGEST_VALUE])


def _confidence_of(value: object) -> float | None:
    number = _number(value)
    return number if number is not None and 0 <= number <= 1 else None


def _margin_of(value: object) -> float | None:
    number = _number(value)
    return number if number is not None and number >= 0 else None


def _number(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


Reader = Callable[[_Draft, str, str], None]
READERS: dict[str, Reader] = {
    **dict.fromkeys(TEXT_FIELDS, _text),
    **dict.fromkeys(COUNT_FIELDS, _count),
    **dict.fromkeys(EXPECTED_NAMES, _expected),
    **dict.fromkeys(OBSERVED_NAMES, _observed),
    "gen_ai.request.temperature": _temperature,
    "tiebreak.confidence": _confidence,
    "tiebreak.margin": _margin,
    "tiebreak.assertion": _assertion,
    "tiebreak.labels": _labels,
    "tiebreak.observations": _observations,
}
