"""Say what differs in a failing try: the label, the wording, the form, or nothing of the model."""

import re
from dataclasses import dataclass, replace

from triage.parse.failure_messages.pairs import PairKind, Sides, StatedPair
from triage.parse.failure_messages.reading import read_pairs
from triage.parse.failure_messages.values import members
from triage.parse.provider_errors import is_provider_error
from triage.parse.report import Failure, Try
from triage.terms import Difference, Outcome

# A label is a short name, not a sentence and not a number.
LABEL = re.compile(r"[^\W\d][\w./:&+-]*(?: [\w./:&+-]+){0,2}")
LONGEST_LABEL = 50
NO_LABELS = frozenset({"true", "false", "none", "null", "undefined", "nil", "nan"})

BOOLEANS = frozenset({"true", "false"})
RECORD = re.compile(r"\s*[\w.:%]*\s*[{\[(]")

UNPARSED = re.compile(
    r"\b(?:JSONDecodeError|JsonParseException|JsonSyntaxException|ValidationError|SyntaxError"
    r"|OutputParserException|SchemaError|ParseError|MalformedJsonException|JsonProcessingException"
    r"|UnmarshalTypeError|ZodError|InstructorRetryException|json\.SyntaxError)\b"
    r"|Unexpected token .{1,40} in JSON|is not valid JSON|invalid character .{1,20} looking for"
)
EXCEPTION = re.compile(
    r"\b(?:(?:[A-Za-z_][\w.$]{0,200})?(?:Error|Exception)\b|panic:|std::\w*(?:error|exception)\b"
    r"|UNCAUGHT EXCEPTION|SIGSEGV|SIGABRT|Segmentation fault|core dumped|terminate called)"
)
ASSERTION = re.compile(
    r"Assert(?:ion)?(?:Failed)?(?:Error|Exception)?|expect|ComparisonFailure", re.I
)
SETUP = re.compile(
    r"failed on setup|failed on teardown|collection failure|setUpClass|tearDownClass"
    r"|\"(?:before|after) (?:all|each)\" hook|BeforeAll|fixture '.*' not found|worker .* crashed"
)


@dataclass(frozen=True, slots=True)
class StatedDifference:
    """What differs in a try, with the pairs that its text states.

    ``flip`` is the pair of labels of a label difference. ``could_be_label`` says that two short
    values differ and no closed set of labels is known that would tell.
    """

    difference: Difference
    pairs: tuple[StatedPair, ...] = ()
    flip: StatedPair | None = None
    could_be_label: bool = False


def read_difference(attempt: Try, labels: frozenset[str]) -> StatedDifference:
    """Return what differs in a failing try.

    Parameters
    ----------
    attempt : Try
        A try that failed or errored.
    labels : frozenset of str
        Closed set of labels that is known for the case; may be empty.
    """
    flip = _observed_flip(attempt)
    if flip:
        return StatedDifference(Difference.LABEL, (flip,), flip)
    pairs = tuple(pair for failure in attempt.failures for pair in _pairs(failure, attempt))
    flip = _stated_flip(pairs, labels)
    if flip:
        return StatedDifference(Difference.LABEL, pairs, flip)
    difference = _without_flip(attempt, pairs)
    could_be = (
        difference is Difference.TEXT
        and not _agrees(attempt)
        and any(_could_be_labels(pair) for pair in pairs)
    )
    return StatedDifference(difference, _labels_first(pairs), None, could_be)


def _pairs(failure: Failure, attempt: Try) -> list[StatedPair]:
    """Return the pairs of the body, or else of the message or the output, as tools have it."""
    for text in (failure.text, failure.message, attempt.output):
        found = read_pairs(text) if text else []
        if found:
            return found
    return []


def _observed_flip(attempt: Try) -> StatedPair | None:
    for each in attempt.evidence.observations:
        if each.expected is not None and each.observed not in {None, each.expected}:
            return StatedPair(each.expected, str(each.observed), Sides.STATED)
    return None


def _stated_flip(pairs: tuple[StatedPair, ...], labels: frozenset[str]) -> StatedPair | None:
    """Return the first pair of labels: two that differ, or one that is not among those allowed."""
    for pair in pairs:
        if pair.kind is PairKind.MEMBERSHIP:
            expected, observed = _choices(pair.expected), _choices(pair.observed)
            if {*expected, *observed} <= labels:
                word = "not " if {*expected} & {*observed} else ""
                return replace(
                    pair, expected=word + " | ".join(expected), observed=" | ".join(observed)
                )
        elif {pair.expected, pair.observed} <= labels and pair.expected != pair.observed:
            return pair
    return None


def _choices(value: str) -> tuple[str, ...]:
    """Return the labels of a printed collection, or the one label that a value is."""
    return members(value) or (value,)


def _agrees(attempt: Try) -> bool:
    """Whether the test recorded its labels and all of them are the expected ones."""
    observations = attempt.evidence.observations
    return bool(observations) and all(
        each.expected is not None and each.expected == each.observed for each in observations
    )


def _without_flip(attempt: Try, pairs: tuple[StatedPair, ...]) -> Difference:
    if pairs:
        return _of_pairs(pairs)
    failures = attempt.failures
    if any(is_provider_error(each.type, each.message, each.text) for each in failures):
        return Difference.PROVIDER
    stated = "\n".join(f"{each.type}\n{each.message}\n{each.text}" for each in failures)
    if UNPARSED.search(stated):
        return Difference.INVALID
    if SETUP.search(stated) or _is_exception(attempt, stated):
        return Difference.CRASH
    return Difference.TEXT if _agrees(attempt) else Difference.UNKNOWN


def _of_pairs(pairs: tuple[StatedPair, ...]) -> Difference:
    """A threshold that was missed is a broken invariant; everything else that shows is wording.

    What a cut hides may be a label, so that a record that is cut tells nothing.
    """
    if all(_hides_difference(pair) for pair in pairs):
        return Difference.UNKNOWN
    is_threshold = all(pair.kind is PairKind.COMPARISON for pair in pairs)
    return Difference.INVALID if is_threshold else Difference.TEXT


def _hides_difference(pair: StatedPair) -> bool:
    if not pair.is_truncated:
        return False
    is_record = any(RECORD.match(value) for value in (pair.expected, pair.observed))
    return is_record or pair.expected == pair.observed


def _is_exception(attempt: Try, stated: str) -> bool:
    if ASSERTION.search(stated):
        return False
    return attempt.outcome is Outcome.ERRORED or bool(EXCEPTION.search(stated))


def _could_be_labels(pair: StatedPair) -> bool:
    if pair.is_truncated:
        return False
    if pair.kind is PairKind.MEMBERSHIP:
        # Two bare words are a search for one word in a text; a collection is a set of labels.
        choices = members(pair.expected) + members(pair.observed)
        both = (*_choices(pair.expected), *_choices(pair.observed))
        return bool(choices) and all(map(_is_labelish, both))
    if pair.kind is not PairKind.EQUALITY:
        return False
    if pair.field and {pair.expected.lower(), pair.observed.lower()} == BOOLEANS:
        # A field that is true or false is a class of two; a bare boolean is some condition.
        return True
    return _is_labelish(pair.expected) and _is_labelish(pair.observed)


def _is_labelish(value: str) -> bool:
    if len(value) > LONGEST_LABEL or value.lower() in NO_LABELS:
        return False
    return bool(LABEL.fullmatch(value))


def _labels_first(pairs: tuple[StatedPair, ...]) -> tuple[StatedPair, ...]:
    """Return pairs with those that may be labels in front: they are shown, and asked about."""
    return tuple(sorted(pairs, key=lambda pair: not _could_be_labels(pair)))
