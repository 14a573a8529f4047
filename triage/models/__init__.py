"""The tables, one module per noun."""

from triage.models.cases import Case
from triage.models.epochs import Epoch, EpochDay, EpochHour, EpochLabel
from triage.models.escalations import Escalation
from triage.models.notifications import Channel, Delivery, Notification
from triage.models.repositories import Repository, Token
from triage.models.results import FailureText, Observation, Result
from triage.models.runs import Part, Run
from triage.models.suites import SuiteState
from triage.models.uploads import Upload
from triage.models.verdicts import Finding, Verdict

__all__ = [
    "Case",
    "Channel",
    "Delivery",
    "Epoch",
    "EpochDay",
    "EpochHour",
    "EpochLabel",
    "Escalation",
    "FailureText",
    "Finding",
    "Notification",
    "Observation",
    "Part",
    "Repository",
    "Result",
    "Run",
    "SuiteState",
    "Token",
    "Upload",
    "Verdict",
]
