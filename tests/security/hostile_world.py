"""A repository of which everything that others name is an attack, sent through the real doors."""

import json
from datetime import timedelta
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from tests.flows.github import PULL, press, publish_all, pull_request, set_up
from tests.flows.suites import REPO, sha
from tests.security.hostile_texts import Hostile
from tests.servers.github.world import World
from tests.servers.mail_receiver import MailReceiver
from tests.servers.receiver import Receiver
from triage.access.invitations import invite
from triage.models import (
    Case,
    Channel,
    Delivery,
    Escalation,
    Invitation,
    Membership,
    Run,
    Token,
    Upload,
)
from triage.notifications.channels import EVENTS
from triage.terms import Role
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import SCOPES, create_token
from triage.web.pages.tables import TABLES
from triage.web.readme_badges import BADGES

HEAD = sha(20)
PAGES = f"/repositories/{REPO}"
RENAMED = 3
# As many pages of one kind are looked at.
MOST_ROWS = 8
WORDING, FLIP, CRASH, PROVIDER, INVALID = range(5)
FAILURES = {
    WORDING: "AssertionError: assert 'I refunded it now' == 'I have refunded it' ",
    FLIP: "AssertionError: assert 'billing' == 'fraud' ",
    CRASH: "KeyError: ",
    PROVIDER: "openai.RateLimitError: Error code: 429 - rate limit reached ",
    INVALID: "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0) ",
}


ROWS: dict[str, type[Model]] = {
    "run": Run,
    "comparison": Run,
    "case": Case,
    "mute": Case,
    "unmute": Case,
    "upload": Upload,
    "escalation": Escalation,
    "test-channel": Channel,
    "remove-channel": Channel,
    "send-again": Delivery,
    "rotate-token": Token,
    "revoke-token": Token,
    "member-role": Membership,
    "remove-member": Membership,
    "withdraw-invitation": Invitation,
}


class HostileWorld:
    """The repository, its people, and what is sent to it."""

    def __init__(
        self, hostile: Hostile, github: World, hooks: Receiver, mails: MailReceiver
    ) -> None:
        self.hostile, self.github, self.hooks, self.mails = hostile, github, hooks, mails
        self.login = hostile.file("login")
        set_up(github, HEAD)
        github.repositories[REPO].people = {self.login: "write"}
        self.repository = find_or_add_repository(REPO)
        # Names of accounts come from the command line and the sign-in with GitHub, too.
        self.person = User.objects.create_superuser(hostile.name("person"))
        Membership.objects.create(repository=self.repository, user=self.person, role=Role.ADMIN)
        self.client = Client()
        self.client.force_login(self.person)
        self.secret = create_token(self.repository, hostile.text("token")[:100], SCOPES)
        link = invite(hostile.name("invited"), self.repository, Role.VIEWER, hostile.name("host"))
        self.invitation = link.rstrip("/").rpartition("/")[2]
        self._set_owners()
        self._add_channels()
        self._take_runs()
        self._act_on_them()

    def upload(self, number: int, *changed: int, accept: str = "*/*", **told: Any) -> Any:
        """Upload a run in which some cases differ; return the answer."""
        hostile = self.hostile
        form = {
            "repo": REPO,
            "sha": sha(number),
            "ref": "refs/heads/main",
            "run_id": f"{hostile.name('run')} {number}",
            "job": hostile.name("job"),
            "files": SimpleUploadedFile(hostile.file("upload"), self._report(number, *changed)),
        } | told
        headers = {
            "Authorization": f"Bearer {self.secret}",
            "Accept": accept,
            "User-Agent": hostile.name("agent"),
            "Idempotency-Key": f"{hostile.name('idempotency')}{number}{told.get('attempt')}",
        }
        return Client().post("/api/v1/uploads", form, headers=headers)

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """Call the API with the token."""
        headers = {"Authorization": f"Bearer {self.secret}"}
        told = {} if body is None else {"data": body, "content_type": "application/json"}
        return getattr(Client(), method)(f"/api/v1{path}", headers=headers, **told)

    def places(self, route: str) -> list[dict[str, object]]:
        """Return what stands in the addresses of a page, by the page's name."""
        named = {
            "table": [{"name": name, "kind": kind} for name in TABLES for kind in ("csv", "json")],
            "badge": [{"name": name} for name in BADGES],
            "docs-page": [{"name": "ci"}],
        }
        rows = ROWS[route]._default_manager.order_by("pk") if route in ROWS else Run.objects.none()
        some = {pk: {"pk": pk} for pk in rows.values_list("pk", flat=True)}
        places = named.get(route) or list(some.values())[-MOST_ROWS:] or [{}]
        return [{"full_name": REPO, "secret": self.invitation} | each for each in places]

    def _set_owners(self) -> None:
        self.repository.codeowners = f"* @{self.hostile.word('codeowner')}\n"
        self.repository.save()

    def _take_runs(self) -> None:
        policy = SimpleUploadedFile(".tiebreak.yml", self._policy().encode())
        self.upload(1, policy=policy)
        for number in range(2, 5):
            self.upload(number)
        left_out = SimpleUploadedFile(self.hostile.file("left-out"), b"no report")
        report = SimpleUploadedFile(self.hostile.file("file-name"), self._report(5, *FAILURES))
        self.upload(5, *FAILURES, files=[report, left_out])
        wrong = f"version: 1\n{json.dumps(self.hostile.name('policy-key'))}: 1\n"
        refused = SimpleUploadedFile(".tiebreak.yml", wrong.encode())
        self.upload(6, WORDING, policy=refused)
        pull_request(self.github, HEAD, title=self.hostile.text("title"))
        branch = {"ref": "", "branch": self.hostile.name("branch"), "pr": str(PULL)}
        refused.seek(0)
        self.answer = self.upload(20, *FAILURES, policy=refused, **branch)
        self.upload(20, *FAILURES, attempt="2", **branch)
        self.upload(7, files=SimpleUploadedFile(self.hostile.file("unreadable"), b"no report"))

    def _act_on_them(self) -> None:
        hostile = self.hostile
        publish_all()
        press(self.github, "escalate", who=self.login)
        question = Escalation.objects.earliest("pk")
        answer = {"kind": "uphold", "why": hostile.text("why")}
        self.api("post", f"/escalations/{question.pk}/decisions", answer)
        until = (timezone.now() + timedelta(days=2)).isoformat()
        mute = {"owner": hostile.word("mute-owner"), "reason": hostile.name("mute-reason")}
        self.api("post", f"/cases/{Case.objects.latest('pk').pk}/mute", mute | {"until": until})

    def _add_channels(self) -> None:
        hostile, hooks = self.hostile, self.hooks.url("")
        targets = {
            "webhook": f"{hooks}/{hostile.word('webhook')}",
            "slack": f"{hooks}/{hostile.word('slack')}",
            "email": '"<script>ev1l</script>~email~"@acme.example',
        }
        for kind, target in targets.items():
            channel = {
                "name": hostile.name(f"{kind}-name")[:100],
                "kind": kind,
                "target": target,
                "digest": "none",
                "time_zone": "UTC",
                "events": [event.value for event in EVENTS],
            }
            self.client.post(f"{PAGES}/notifications/", channel)

    def _policy(self) -> str:
        owner = json.dumps(self.hostile.word("policy-owner"))
        match = json.dumps("**")
        return (
            f"version: 1\nlabels:\n  - match: {match}\n    tie_break: "
            f"{{policy: escalate, to: {owner}}}\n"
        )

    def _report(self, number: int, *changed: int) -> bytes:
        hostile = self.hostile
        cases = "".join(self._case(each, number, is_changed=each in changed) for each in FAILURES)
        suite = quoteattr(hostile.xml("suite"))
        return (
            f"<testsuites name={suite}><testsuite name={suite} hostname={suite}>{cases}"
            f"<system-out>{escape(hostile.xml('system-out'))}</system-out></testsuite></testsuites>"
        ).encode()

    def _case(self, which: int, number: int, *, is_changed: bool) -> str:
        hostile = self.hostile
        is_new_name = which == INVALID and number >= RENAMED
        name = f"{hostile.xml('renamed' if is_new_name else 'name')}[{which}]"
        told = self._properties(which, is_flip=is_changed and which == FLIP)
        inner = "".join(
            f"<property name={quoteattr(key)} value={quoteattr(value)}/>" for key, value in told
        )
        text = f"E       {FAILURES[which]}{hostile.xml('failure')}"
        failure = (
            f"<failure message={quoteattr(hostile.xml('message'))} "
            f"type={quoteattr(hostile.xml('type'))}>{escape(text)}</failure>"
        )
        return (
            f"<testcase classname={quoteattr(hostile.xml('class'))} name={quoteattr(name)} "
            f"file={quoteattr(hostile.xml('file'))} line='7'>"
            f"<properties>{inner}</properties>{failure if is_changed else ''}"
            f"<system-out>{escape(hostile.xml('case-out'))}</system-out></testcase>"
        )

    def _properties(self, which: int, *, is_flip: bool) -> list[tuple[str, str]]:
        hostile = self.hostile
        expected, observed = hostile.text("expected"), hostile.text("observed")
        call = {
            "id": hostile.text("call"),
            "expected": expected,
            "observed": observed if is_flip else expected,
            "confidence": 0.6,
            "margin": 0.1,
        }
        return [
            ("gen_ai.request.model", hostile.xml("model-asked")),
            *([("gen_ai.response.model", hostile.xml("model"))] if which else []),
            ("gen_ai.provider.name", hostile.xml("provider")),
            ("gen_ai.openai.response.system_fingerprint", hostile.xml("fingerprint")),
            ("gen_ai.response.id", hostile.xml("response")),
            ("tiebreak.labels", json.dumps([expected, observed])),
            ("tiebreak.observations", json.dumps([call])),
            ("tiebreak.prompt_sha256", f"{which:064x}"),
            ("tiebreak.assertion", hostile.xml("assertion")),
            ("tiebreak.calls", hostile.xml("calls")),
            (hostile.xml("property"), hostile.xml("value")),
        ]
