"""The calls of a result: every try taken apart into what was expected and what came back."""

import hashlib
from dataclasses import dataclass, replace

from triage.classify.differences import StatedDifference, read_difference
from triage.parse.failure_messages.pairs import StatedPair
from triage.parse.report import NO_EVIDENCE, Observation, Result, Try
from triage.terms import Difference, Outcome

LABEL_LENGTH = 200
# What a result is called when its calls differ in several ways: a flip outweighs everything.
WORST_FIRST = (
    Difference.LABEL,
    Difference.CRASH,
    Difference.UNKNOWN,
    Difference.INVALID,
    Difference.TEXT,
    Difference.PROVIDER,
)
# A test that expected a label and recorded none got an answer that could not be read, unless its
# text tells that no answer came, that its own code failed, or which label it was.
OUTWEIGH_A_MISSING_LABEL = frozenset({Difference.LABEL, Difference.CRASH, Difference.PROVIDER})


# Made by the thousand, like the results of a report, and as little changed.
@dataclass(slots=True, unsafe_hash=True)
class Call:
    """One call of a try. ``difference`` is ``None`` when nothing differs."""

    try_index: int
    call_index: int
    difference: Difference | None
    expected: str | None = None
    observed: str | None = None
    confidence: float | None = None
    margin: float | None = None
    response_id: str = ""
    output_sha256: str = ""

    @property
    def agrees_on_label(self) -> bool:
        """Whether the label was recorded and is the expected one."""
        return self.expected is not None and self.expected == self.observed


@dataclass(frozen=True, slots=True)
class ResultCalls:
    """All calls of a result; ``unrecorded`` counts further calls that nothing was told of."""

    calls: tuple[Call, ...]
    unrecorded: int = 0

    @property
    def difference(self) -> Difference | None:
        """The worst difference among the calls."""
        present = {call.difference for call in self.calls}
        return next((each for each in WORST_FIRST if each in present), None)


# What most of a report is: made once, for the time that a hundred thousand of them take.
SILENT_PASS = ResultCalls((Call(0, 0, None),))


@dataclass(frozen=True, slots=True)
class KnownLabels:
    """Labels known for a case. A set that a report tells is closed; a learned one may grow."""

    labels: frozenset[str] = frozenset()
    is_closed: bool = False

    def with_told(self, told: tuple[str, ...]) -> "KnownLabels":
        """Return the labels together with a set that a try tells."""
        if not told:
            return self
        return KnownLabels(self.labels | frozenset(told), is_closed=True)


def read_calls(result: Result, known: KnownLabels, *, is_llm: bool) -> ResultCalls:
    """Return the calls of a result.

    Parameters
    ----------
    result : Result
        A case's merged entries.
    known : KnownLabels
        Labels known for the case.
    is_llm : bool
        Whether the case calls an LLM: only then are two short values taken for labels when no
        closed set is known.
    """
    if is_silent_pass(result):
        return SILENT_PASS
    calls: list[Call] = []
    unrecorded = 0
    for index, attempt in enumerate(result.tries):
        of_try = _calls_of_try(attempt, index, known, is_llm=is_llm)
        calls += of_try
        unrecorded += max((attempt.evidence.calls or 0) - len(of_try), 0)
    return ResultCalls(tuple(calls), unrecorded)


def label_key(label: str) -> str:
    """Return a label as it is stored: long ones are cut and told apart by a digest."""
    if len(label) <= LABEL_LENGTH:
        return label
    digest = hashlib.sha256(label.encode()).hexdigest()[:12]
    return f"{label[: LABEL_LENGTH - 14]}…#{digest}"


def is_silent_pass(result: Result) -> bool:
    """Whether a result passed at once and told nothing of an LLM."""
    tries = result.tries
    return (
        len(tries) == 1 and tries[0].outcome is Outcome.PASSED and tries[0].evidence is NO_EVIDENCE
    )


def _calls_of_try(attempt: Try, index: int, known: KnownLabels, *, is_llm: bool) -> list[Call]:
    evidence = attempt.evidence
    known = known.with_told(evidence.labels)
    stated = read_difference(attempt, known.labels) if attempt.outcome.is_failing else None
    difference = _difference(stated, is_llm=is_llm, is_closed=known.is_closed)
    flip = _flip(stated, difference)
    if evidence.observations:
        return _observed_calls(attempt, index, difference, flip)
    return [
        Call(
            index,
            0,
            difference,
            expected=label_key(flip.expected) if flip else None,
            observed=label_key(flip.observed) if flip else None,
            response_id=evidence.response_id or "",
            output_sha256=evidence.output_sha256 or "",
        )
    ]


def _difference(
    stated: StatedDifference | None, *, is_llm: bool, is_closed: bool
) -> Difference | None:
    """Take two short values of an LLM case for labels until a closed set says otherwise.

    Taking a flip for wording would let the budget pay for it; taking wording for a flip costs a
    second pass. The second error is the cheap one.
    """
    if stated is None:
        return None
    if stated.could_be_label and is_llm and not is_closed:
        return Difference.LABEL
    return stated.difference


def _flip(stated: StatedDifference | None, difference: Difference | None) -> StatedPair | None:
    """Return the pair of labels that a failure text states."""
    if stated is None:
        return None
    if stated.flip is None and difference is Difference.LABEL and stated.pairs:
        return stated.pairs[0]
    return stated.flip


def _observed_calls(
    attempt: Try, index: int, difference: Difference | None, flip: StatedPair | None
) -> list[Call]:
    missing = difference if difference in OUTWEIGH_A_MISSING_LABEL else Difference.INVALID
    observed = [
        _observed_call(attempt, index, number, _completed(each, flip), missing)
        for number, each in enumerate(attempt.evidence.observations)
    ]
    explained = any(call.difference for call in observed)
    if difference is None or explained:
        return observed
    first = observed[0]
    return [_with_difference(first, difference), *observed[1:]]


def _completed(each: Observation, flip: StatedPair | None) -> Observation:
    """Return an observation with the label that only the failure text tells."""
    if flip is None or each.observed is not None or each.expected != flip.expected:
        return each
    return replace(each, observed=flip.observed)


def _observed_call(
    attempt: Try, index: int, number: int, each: Observation, missing: Difference
) -> Call:
    return Call(
        index,
        number,
        _label_difference(each, missing if attempt.outcome.is_failing else None),
        expected=label_key(each.expected) if each.expected is not None else None,
        observed=label_key(each.observed) if each.observed is not None else None,
        confidence=each.confidence,
        margin=each.margin,
        response_id=each.call_id or attempt.evidence.response_id or "",
        output_sha256=attempt.evidence.output_sha256 or "",
    )


def _label_difference(each: Observation, missing: Difference | None) -> Difference | None:
    """Return what an observation shows; ``missing`` is what it means that no label came."""
    if each.expected is None:
        return None
    if each.observed is None:
        return missing
    return Difference.LABEL if each.expected != each.observed else None


def _with_difference(call: Call, difference: Difference) -> Call:
    return Call(
        call.try_index,
        call.call_index,
        difference,
        call.expected,
        call.observed,
        call.confidence,
        call.margin,
        call.response_id,
        call.output_sha256,
    )
