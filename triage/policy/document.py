"""The policy document: what ``.tiebreak.yml`` may hold."""

from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator
from pydantic_core.core_schema import ValidationInfo

from triage.policy.masks import MOST_PATTERN_CHARACTERS, MOST_WAYS, check_mask, ways_of
from triage.policy.spellings import (
    Due,
    Glob,
    Label,
    Owner,
    Rate,
    Window,
    duration,
    window_calls,
    window_days,
)
from triage.policy.tie_breaks import PolicyPart, TieBreak

MOST_RULES = 200
MOST_LABELS = 500
MOST_MASKS = 20
MOST_RENAMES = 1_000
SCHEMA_PATH = "/api/v1/policy.schema.json"


class BudgetRule(PolicyPart):
    """How often the cases it matches may differ in the wording."""

    match: Glob = Field(description="Cases it holds for.", examples=["tests/evals/**"])
    rate: Rate | None = Field(
        None,
        description="Accepted text divergences per call; left out, each case's own rate.",
        examples=["2.4%", 0.024],
    )
    window: Window = Field(
        "30d", description="What counts: days or calls.", examples=["30d", "500 calls"]
    )
    on_spent: Literal["block", "warn"] = Field(
        "block", description="Whether a spent budget blocks the run or is only told."
    )
    shared: bool = Field(
        default=False,
        description="Whether all matching cases share one budget; otherwise each has its own.",
    )

    @field_validator("shared")
    @classmethod
    def _shares_a_rate(cls, shared: bool, info: ValidationInfo) -> bool:  # noqa: FBT001
        if shared and "rate" in info.data and info.data["rate"] is None:
            raise ValueError("needs a rate beside it: cases with rates of their own share none")
        return shared

    @property
    def window_days(self) -> int | None:
        """Days of the window, ``None`` where it is counted in calls."""
        return window_days(self.window)

    @property
    def window_calls(self) -> int | None:
        """Calls of the window, ``None`` where it is counted in days."""
        return window_calls(self.window)


class LabelPair(PolicyPart):
    """A tie-break for one pair of labels, in either direction."""

    labels: tuple[Label, Label] = Field(description="The two labels.")
    tie_break: TieBreak

    @field_validator("labels")
    @classmethod
    def _are_two(cls, labels: tuple[str, str]) -> tuple[str, str]:
        if labels[0] == labels[1]:
            raise ValueError(f"must be two different labels, got {labels[0]!r} twice")
        return labels


class LabelRule(PolicyPart):
    """What the labels of the cases it matches mean, and how their ties are broken."""

    match: Glob = Field(
        description="Cases it holds for.", examples=["tests/evals/test_refunds.py::*"]
    )
    set: tuple[Label, ...] = Field(
        (),
        max_length=MOST_LABELS,
        description="The closed set of labels; left out, learned from history.",
        examples=[["fraud", "billing", "shipping"]],
    )
    critical: tuple[Label, ...] = Field(
        (),
        max_length=MOST_LABELS,
        description="Labels whose flips always block, in either direction.",
        examples=[["fraud"]],
    )
    tie_break: TieBreak | None = Field(
        None, description="For every pair that pairs does not name; left out, a flip blocks."
    )
    pairs: tuple[LabelPair, ...] = Field(
        (), max_length=MOST_RULES, description="Tie-breaks for single pairs of labels."
    )

    @field_validator("critical")
    @classmethod
    def _are_labels(cls, critical: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        _refuse_strangers(critical, info.data.get("set", ()))
        return critical

    @field_validator("pairs")
    @classmethod
    def _hold_labels(
        cls, pairs: tuple[LabelPair, ...], info: ValidationInfo
    ) -> tuple[LabelPair, ...]:
        for pair in pairs:
            _refuse_strangers(pair.labels, info.data.get("set", ()))
        return pairs

    def is_critical(self, *labels: str) -> bool:
        """Whether a flip between these labels always blocks."""
        return any(label in self.critical for label in labels)

    def tie_break_of(self, first: str, second: str) -> TieBreak | None:
        """Return the tie-break of a pair, whichever label was expected; ``None``: it blocks."""
        if self.is_critical(first, second):
            return None
        for pair in self.pairs:
            if {first, second} == {*pair.labels}:
                return pair.tie_break
        return self.tie_break


class Gate(PolicyPart):
    """What findings that are no flips do to the check. No key here speaks of a flip."""

    undecided: Literal["hold", "neutral"] = Field(
        "hold", description="Evidence too thin either way."
    )
    provider_error: Literal["neutral", "hold"] = Field(
        "neutral", description="The endpoint failed, not the model."
    )
    inherited: Literal["pass", "hold"] = Field(
        "pass", description="Fails in the same way on the base already."
    )


class Completion(PolicyPart):
    """When a run that has passed so far has passed."""

    quiet: Due | None = Field(
        None,
        description="How long no part may come before a run that told no number of parts is taken "
        "for complete; left out, it is with its first report.",
        examples=["5m"],
    )
    deadline: Due = Field(
        "2h",
        description="How long after its last part a run waits for parts it told of; then it is "
        "closed as provisional.",
        examples=["2h"],
    )


class Owners(PolicyPart):
    """Who is asked where no rule names anybody."""

    default: Owner = Field("@team", examples=["@acme/ml-platform"])


class Escalations(PolicyPart):
    """Defaults of questions to people."""

    due: Due = Field("24h", description="By when an answer is due.", examples=["24h"])

    @property
    def due_in(self) -> timedelta:
        """The time until an answer is due."""
        return duration(self.due)


class Rename(PolicyPart):
    """A case that goes by another name now; its history follows."""

    from_: Glob = Field(
        alias="from",
        description="The old name. A '*' at the end stands for the rest of it.",
        examples=["tests/evals/test_refunds.py::*"],
    )
    to: Glob = Field(
        description="The new name; with '*' at the end where the old one has it.",
        examples=["tests/evals/test_tickets.py::*"],
    )

    @field_validator("to")
    @classmethod
    def _fits(cls, to: str, info: ValidationInfo) -> str:
        told = info.data.get("from_")
        if told is None:
            return to
        for name in (told, to):
            if "*" in name[:-1]:
                raise ValueError(f"may have one '*', at the end, got {name!r}")
        if told.endswith("*") != to.endswith("*"):
            raise ValueError(f"must end in '*' if and only if from does, got {told!r} and {to!r}")
        if told == to:
            raise ValueError(f"must differ from the old name, got {to!r} twice")
        return to


def _version(value: object) -> object:
    return 1 if value == "1" else value


Mask = Annotated[
    str,
    AfterValidator(check_mask),
    Field(json_schema_extra={"maxLength": MOST_PATTERN_CHARACTERS}),
]


class Policy(PolicyPart):
    """What a team sets for its repository, versioned with its tests."""

    version: Annotated[Literal[1], BeforeValidator(_version)] = Field(
        description="Version of this format: 1."
    )
    llm_tests: tuple[Glob, ...] = Field(
        (),
        max_length=MOST_RULES,
        description="Cases that call an LLM, whatever their reports tell.",
        examples=[["tests/evals/**"]],
    )
    budgets: tuple[BudgetRule, ...] = Field(
        (), max_length=MOST_RULES, description="Flake budgets; the first that matches holds."
    )
    labels: tuple[LabelRule, ...] = Field(
        (), max_length=MOST_RULES, description="Labels; the first rule that matches holds."
    )
    gate: Gate = Gate()
    second_pass: Literal["by_hand", "rerun_failed_jobs"] = Field(
        "by_hand",
        description="Who starts second passes: whoever repeats the tests, or Tiebreak, which has "
        "GitHub re-run the failed jobs (needs the App's permission Actions: write).",
    )
    completion: Completion = Completion()
    owners: Owners = Owners()
    escalations: Escalations = Escalations()
    redact: tuple[Mask, ...] = Field(
        (),
        max_length=MOST_MASKS,
        description="Regular expressions of what is masked in failure texts before they are kept.",
        examples=[["EMP-[0-9]{6}"]],
    )
    renames: tuple[Rename, ...] = Field(
        (), max_length=MOST_RENAMES, description="Cases that go by another name now."
    )

    @field_validator("redact")
    @classmethod
    def _is_fast(cls, redact: tuple[str, ...]) -> tuple[str, ...]:
        ways = sum(ways_of(pattern) for pattern in redact)
        if ways > MOST_WAYS:
            raise ValueError(
                f"may be tried in {ways} ways at one place of a text by all patterns together, "
                f"the limit is {MOST_WAYS}; shorten their repeats"
            )
        return redact

    def as_json(self) -> dict[str, Any]:
        """Return the normalised document: every default spelled out."""
        return self.model_dump(mode="json", by_alias=True)


DEFAULT_POLICY = Policy(version=1)


def policy_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) by which editors complete and check a policy."""
    schema = Policy.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tiebreak policy (.tiebreak.yml)",
    } | {key: value for key, value in schema.items() if key != "title"}


def _refuse_strangers(labels: tuple[str, ...], closed_set: tuple[str, ...]) -> None:
    strangers = [label for label in labels if closed_set and label not in closed_set]
    if strangers:
        raise ValueError(f"must be among the set {list(closed_set)}, got {strangers[0]!r}")
