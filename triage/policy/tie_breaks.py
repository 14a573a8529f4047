"""Tie-breaks: what is done about a flip whose labels the system cannot tell apart."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core.core_schema import ValidationInfo

from triage.policy.spellings import Due, Owner, duration

MOST_PASSES = 20


class PolicyPart(BaseModel):
    """A mapping of the policy: nothing unknown in it, nothing changed after it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Threshold(PolicyPart):
    """Route the answer by the confidence recorded for its label, as the application would."""

    policy: Literal["threshold"]
    confidence: float = Field(
        gt=0.0,
        le=1.0,
        description="A flip at or above this confidence is a regression; one below it is routed. "
        "Needs the property tiebreak.confidence.",
        examples=[0.8],
    )
    to: Owner | None = Field(None, description="Who gets what is routed; default: the owner.")
    due: Due | None = Field(None, description="By when; default: escalations.due.")

    @property
    def due_in(self) -> timedelta | None:
        """The time until an answer is due; ``None``: the repository's default."""
        return duration(self.due) if self.due else None


class SecondPass(PolicyPart):
    """Repeat the case and let the repeats say which label holds."""

    policy: Literal["second_pass"]
    passes: int | None = Field(
        None,
        ge=1,
        le=MOST_PASSES,
        description="How often to repeat; left out, the sequential test decides when to stop.",
        examples=[5],
    )
    agree: int | None = Field(
        None,
        ge=1,
        description="How many repeats must show the expected label: more than half of passes.",
        examples=[4],
    )

    @field_validator("agree")
    @classmethod
    def _is_a_majority(cls, agree: int | None, info: ValidationInfo) -> int | None:
        """A label that loses the vote is not settled by it: no number here may excuse a flip."""
        if agree is None or "passes" not in info.data:
            return agree
        passes = info.data["passes"]
        if passes is None:
            raise ValueError(f"needs passes beside it, got agree {agree} alone")
        if not passes / 2 < agree <= passes:
            raise ValueError(
                f"must be more than half of the {passes} passes and at most {passes}, got {agree}"
            )
        return agree


class Escalate(PolicyPart):
    """Ask a person; the run is held until the answer."""

    policy: Literal["escalate"]
    to: Owner | None = Field(None, description="Who is asked; default: the owner.")
    due: Due | None = Field(None, description="By when; default: escalations.due.", examples=["4h"])

    @property
    def due_in(self) -> timedelta | None:
        """The time until an answer is due; ``None``: the repository's default."""
        return duration(self.due) if self.due else None


class Block(PolicyPart):
    """Block on every flip: what holds where no tie-break is written."""

    policy: Literal["block"]


TieBreak = Annotated[
    Threshold | SecondPass | Escalate | Block,
    Field(
        discriminator="policy",
        examples=[{"policy": "second_pass", "passes": 5, "agree": 4}],
    ),
]
