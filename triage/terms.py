"""The words of the product: one enum per word, used alike in code, pages and documents."""

from enum import StrEnum


class Outcome(StrEnum):
    """How one case ended in one run."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    SKIPPED = "skipped"

    @property
    def is_failing(self) -> bool:
        """Whether the case did not do what it should have done."""
        return self in {Outcome.FAILED, Outcome.ERRORED}


class Difference(StrEnum):
    """What differs between the expected and the observed behaviour of a failing case."""

    TEXT = "text"
    LABEL = "label"
    INVALID = "invalid"
    PROVIDER = "provider"
    CRASH = "crash"
    UNKNOWN = "unknown"


class FindingKind(StrEnum):
    """The judgement of one failing case."""

    EXPECTED_FLAKE = "expected_flake"
    MUTED = "muted"
    OVER_BUDGET = "over_budget"
    LABEL_REGRESSION = "label_regression"
    NEAR_TIE = "near_tie"
    SETTLED_TIE = "settled_tie"
    REGRESSION = "regression"
    PROVIDER_ERROR = "provider_error"
    INHERITED = "inherited"
    UNDECIDED = "undecided"


class Conclusion(StrEnum):
    """The judgement of a run, worst first."""

    BLOCKED = "blocked"
    ON_HOLD = "on_hold"
    PROVISIONAL = "provisional"
    PASSED_WITH_FLAKES = "passed_with_flakes"
    PASSED = "passed"
    NO_RESULTS = "no_results"


class Standing(StrEnum):
    """Where a budget stands."""

    WITHIN = "within"
    SPENT = "spent"
    BURNING = "burning"
    TOO_FEW_CALLS = "too_few_calls"


class TieBreakPolicy(StrEnum):
    """What is done with a flip of an ambiguous class."""

    BLOCK = "block"
    THRESHOLD = "threshold"
    SECOND_PASS = "second_pass"  # noqa: S105 - a policy name, not a password
    ESCALATE = "escalate"


class Assertion(StrEnum):
    """What a test compares."""

    BYTES = "bytes"
    PARSED = "parsed"
    INVARIANT = "invariant"
    JUDGE = "judge"


class Merge(StrEnum):
    """Why several entries of a report belong to one case."""

    SINGLE = "single"
    RETRY = "retry"
    REPETITION = "repetition"
    ROWS = "rows"
    PHASES = "phases"


class UploadState(StrEnum):
    """How far the work on an upload has come."""

    RECEIVED = "received"
    RECORDED = "recorded"
    JUDGED = "judged"
    DEAD = "dead"


# An upload whose work has not come to its end.
OPEN_UPLOADS = (UploadState.RECEIVED, UploadState.RECORDED)


class RunEnd(StrEnum):
    """How it became known that no further part of a run is to be awaited."""

    TOLD = "told"
    WORKFLOW = "workflow"
    QUIET = "quiet"
    DEADLINE = "deadline"


class EscalationState(StrEnum):
    """Where a question to a person stands."""

    OPEN = "open"
    DECIDED = "decided"
    EXPIRED = "expired"


class NotificationEvent(StrEnum):
    """What a repository's channels can be told."""

    RUN_BLOCKED = "run_blocked"
    RUN_ON_HOLD = "run_on_hold"
    BUDGET_SPENT = "budget_spent"
    ESCALATION_OPENED = "escalation_opened"
    ESCALATION_DUE = "escalation_due"
    ESCALATION_DECIDED = "escalation_decided"
    ESCALATION_EXPIRED = "escalation_expired"
    MUTE_EXPIRED = "mute_expired"
    PROVIDER_INCIDENT_OPENED = "provider_incident_opened"
    PROVIDER_INCIDENT_CLOSED = "provider_incident_closed"
    # Somebody asked whether a channel works.
    TEST = "test"


class ChannelKind(StrEnum):
    """How a channel is told."""

    EMAIL = "email"
    SLACK = "slack"
    WEBHOOK = "webhook"


class Digest(StrEnum):
    """How often a channel that bundles its notifications is told."""

    NONE = "none"
    HOURLY = "hourly"
    DAILY = "daily"


class DeliveryState(StrEnum):
    """How far a message to a channel has come."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"


class PublicationKind(StrEnum):
    """What is kept up to date on a forge."""

    CHECK = "check"
    COMMENT = "comment"


class PublicationState(StrEnum):
    """How far a publication has come."""

    WAITING = "waiting"
    DONE = "done"
    # The forge refused it for good; the reason is kept.
    FAILED = "failed"
    # Nobody needs it any more: the head moved, or the App was taken away.
    DROPPED = "dropped"


class Button(StrEnum):
    """What can be asked for on a check: the fixed words by which a button's press comes back."""

    RERUN = "rerun_failed_jobs"
    ESCALATE = "escalate"
    REGRESSION = "mark_regression"
    ACCEPT_LABEL = "accept_new_label"
    ALLOW_ONCE = "allow_once"


class ActionState(StrEnum):
    """How far something that was asked for on a check has come."""

    WAITING = "waiting"
    DONE = "done"
    # Whoever asked may not, or the verdict no longer offers it.
    REFUSED = "refused"
    # The forge did not do it, or it came to nothing.
    FAILED = "failed"
    # The verdict settled before it was done.
    DROPPED = "dropped"


class PublisherKind(StrEnum):
    """How a repository's verdicts are shown on a forge."""

    GITHUB_CHECKS = "github_checks"
    GITHUB_STATUS = "github_status"
    GITLAB = "gitlab"
    NONE = "none"


class PolicySource(StrEnum):
    """How a policy came in."""

    UPLOAD = "upload"
    FORGE = "forge"
    COMMAND = "command"


class PolicyState(StrEnum):
    """Whether a policy that came in could be used."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


class CalibrationState(StrEnum):
    """How far a calibration has come."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Role(StrEnum):
    """What a person may do in a repository; each may also do what the ones before it may."""

    VIEWER = "viewer"
    MEMBER = "member"
    DECIDER = "decider"
    ADMIN = "admin"

    def covers(self, other: "Role") -> bool:
        """Whether whoever has this role may do what the other one may."""
        order = list(Role)
        return order.index(self) >= order.index(other)


class DecisionKind(StrEnum):
    """What a person may answer to an escalation. None of it makes a flip a flake."""

    UPHOLD = "uphold"
    ACCEPT_LABEL = "accept_label"
    REGISTER_TIE_BREAK = "register_tie_break"
    DEFER = "defer"


class RenameState(StrEnum):
    """Whether a case is taken for another one under a new name."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    REFUSED = "refused"
