"""The tables, one module per noun."""

from triage.models.calibrations import CalibrationReport
from triage.models.cases import Case
from triage.models.circumstances import EpochCircumstance, Told
from triage.models.decisions import Decision
from triage.models.epochs import Epoch, EpochDay, EpochHour, EpochLabel
from triage.models.escalations import Escalation
from triage.models.github import (
    GitHubApp,
    GitHubRepository,
    HookPass,
    Installation,
    PullRequest,
    WebhookDelivery,
)
from triage.models.identities import WorkflowIdentity
from triage.models.incidents import ProviderIncident
from triage.models.members import AuditEntry, ForgeRole, Invitation, Membership
from triage.models.mutes import Mute
from triage.models.notifications import Channel, Delivery, Notification
from triage.models.policies import StoredPolicy
from triage.models.publications import Publication
from triage.models.publishers import ForgeSettings
from triage.models.rates import RequestRate
from triage.models.renames import CaseRename
from triage.models.repositories import Repository, Token
from triage.models.repository_files import RepositoryFiles
from triage.models.requested_actions import RequestedAction
from triage.models.results import FailureText, Observation, Result
from triage.models.runs import Part, Run
from triage.models.suites import SuiteState
from triage.models.uploads import Upload
from triage.models.verdicts import Finding, Verdict

__all__ = [
    "AuditEntry",
    "CalibrationReport",
    "Case",
    "CaseRename",
    "Channel",
    "Decision",
    "Delivery",
    "Epoch",
    "EpochCircumstance",
    "EpochDay",
    "EpochHour",
    "EpochLabel",
    "Escalation",
    "FailureText",
    "Finding",
    "ForgeRole",
    "ForgeSettings",
    "GitHubApp",
    "GitHubRepository",
    "HookPass",
    "Installation",
    "Invitation",
    "Membership",
    "Mute",
    "Notification",
    "Observation",
    "Part",
    "ProviderIncident",
    "Publication",
    "PullRequest",
    "Repository",
    "RepositoryFiles",
    "RequestRate",
    "RequestedAction",
    "Result",
    "Run",
    "StoredPolicy",
    "SuiteState",
    "Token",
    "Told",
    "Upload",
    "Verdict",
    "WebhookDelivery",
    "WorkflowIdentity",
]
