"""A word, an icon and a tone for every state: never colour alone."""

from dataclasses import dataclass
from enum import StrEnum

from triage.models.vectors import Code
from triage.terms import Conclusion, DeliveryState, FindingKind, Standing, UploadState


class Tone(StrEnum):
    """What a state means for the reader; one colour each."""

    BAD = "bad"
    WARNING = "warning"
    GOOD = "good"
    NEUTRAL = "neutral"
    # A plain pass: what nobody has to look at.
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Badge:
    """How a state is shown. ``icon`` is a symbol of ``triage/templates/_icons.html``."""

    word: str
    icon: str
    tone: Tone


CONCLUSIONS = {
    Conclusion.BLOCKED: Badge("blocked", "blocked", Tone.BAD),
    Conclusion.ON_HOLD: Badge("on hold", "on-hold", Tone.WARNING),
    Conclusion.PROVISIONAL: Badge("provisional", "waiting", Tone.NEUTRAL),
    Conclusion.PASSED_WITH_FLAKES: Badge("passed with flakes", "flake", Tone.GOOD),
    Conclusion.PASSED: Badge("passed", "passed", Tone.GOOD),
    Conclusion.NO_RESULTS: Badge("no results", "unknown", Tone.NEUTRAL),
}
# Its results were deleted for their age.
PRUNED = Badge("no longer kept", "unknown", Tone.QUIET)
NOT_JUDGED = Badge("not judged yet", "waiting", Tone.NEUTRAL)

FINDINGS = {
    FindingKind.LABEL_REGRESSION: Badge("label regression", "flip", Tone.BAD),
    FindingKind.REGRESSION: Badge("regression", "blocked", Tone.BAD),
    FindingKind.OVER_BUDGET: Badge("over budget", "over-budget", Tone.BAD),
    FindingKind.NEAR_TIE: Badge("near tie", "near-tie", Tone.WARNING),
    FindingKind.UNDECIDED: Badge("undecided", "unknown", Tone.WARNING),
    FindingKind.PROVIDER_ERROR: Badge("provider error", "provider", Tone.NEUTRAL),
    FindingKind.MUTED: Badge("muted", "muted", Tone.NEUTRAL),
    FindingKind.SETTLED_TIE: Badge("settled tie", "settled", Tone.GOOD),
    FindingKind.EXPECTED_FLAKE: Badge("expected flake", "flake", Tone.GOOD),
    FindingKind.INHERITED: Badge("inherited", "inherited", Tone.NEUTRAL),
}

STANDINGS = {
    Standing.WITHIN: Badge("within", "passed", Tone.GOOD),
    Standing.SPENT: Badge("spent", "over-budget", Tone.BAD),
    Standing.BURNING: Badge("burning fast", "over-budget", Tone.BAD),
    Standing.TOO_FEW_CALLS: Badge("too few calls to say", "unknown", Tone.NEUTRAL),
}

DELIVERIES = {
    DeliveryState.WAITING: Badge("waiting", "waiting", Tone.NEUTRAL),
    DeliveryState.SENT: Badge("sent", "passed", Tone.GOOD),
    DeliveryState.FAILED: Badge("failed", "blocked", Tone.BAD),
}

UPLOADS = {
    UploadState.RECEIVED: Badge("received", "waiting", Tone.NEUTRAL),
    UploadState.RECORDED: Badge("recorded", "waiting", Tone.NEUTRAL),
    UploadState.JUDGED: Badge("judged", "passed", Tone.QUIET),
    UploadState.DEAD: Badge("set aside", "blocked", Tone.BAD),
}

# Outcomes of a case in a run that no finding speaks about.
OUTCOMES = {
    Code.PASSED: Badge("passed", "passed", Tone.QUIET),
    Code.PASSED_AFTER_RETRY: Badge("passed after a retry", "retried", Tone.NEUTRAL),
    Code.FAILED: Badge("failed, not judged yet", "unknown", Tone.NEUTRAL),
    Code.ERRORED: Badge("errored, not judged yet", "unknown", Tone.NEUTRAL),
    Code.SKIPPED: Badge("skipped", "skipped", Tone.QUIET),
}
