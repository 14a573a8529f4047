"""Pull requests from forks: their reports are fetched, judged and shown, and count for nothing."""

import io
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from budgets.models import Charge
from tests.flows.github import (
    PULL,
    add_artifact,
    add_workflow_run,
    checks,
    comments,
    deliver,
    end_workflow_run,
    publish_all,
    pull_request,
    repository,
    set_up,
)
from tests.flows.suites import (
    FLIP,
    REPO,
    START,
    WORDING,
    CaseRun,
    history,
    judged,
    only,
    report,
    sha,
    suite,
    take,
)
from tests.servers.github.server import fake_github
from tests.servers.github.world import RefusalError, World
from triage.models import (
    Case,
    Epoch,
    EpochDay,
    EpochLabel,
    Escalation,
    Result,
    Run,
    Upload,
    WebhookDelivery,
)
from triage.parse.limits import DEFAULT_LIMITS
from triage.webhooks.processing import MOST_TRIES, process

pytestmark = pytest.mark.django_db(transaction=True)

HEAD = sha(20)
SIZE = 4
CASE = "test_ticket[1]"
FORK = {"head_repository": {"id": 999_999}}


@pytest.fixture
def world() -> Iterator[World]:
    """Return a GitHub where a workflow of a fork's pull request runs."""
    with time_machine.travel(START + timedelta(hours=21)), fake_github() as made:
        set_up(made, HEAD)
        add_workflow_run(made, HEAD)
        pull_request(made, HEAD, "opened", head={"sha": HEAD, "repo": {"id": 999_999}})
        yield made
        assert made.violations() == []


def zipped(*changed: CaseRun, name: str = "junit.xml") -> bytes:
    """Return the zip of an artifact with the report of the suite."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, report(suite(SIZE, *changed)))
    return made.getvalue()


def counted() -> list[list[Any]]:
    """Return everything that history and budgets are made of."""
    tables = (Epoch, EpochDay, EpochLabel, Charge)
    return [list(model.objects.order_by("pk").values()) for model in tables]


def downloads(world: World) -> int:
    """Return how often a zip was fetched."""
    return sum("_blobs" in path for _, path, *_ in world.log)


def test_a_fork_s_report_is_fetched_judged_and_shown(world: World) -> None:
    history(SIZE)
    add_artifact(world, "tiebreak-llm", zipped(CaseRun(CASE, WORDING)))
    add_artifact(world, "coverage", b"no business of ours")
    end_workflow_run(world, **FORK)
    publish_all()

    run = Run.objects.get(sha=HEAD)
    assert (run.is_trusted, run.is_reference, run.pr) == (False, False, PULL)
    (check,) = checks(world)
    assert (check["status"], check["conclusion"]) == ("completed", "neutral")
    assert check["output"]["title"].startswith("Reported by a fork, not counted and not proven:")
    assert "charged to no budget" in only(judged(run))["next_step"]
    assert len(comments(world)) == 1
    assert downloads(world) == 1


def test_nothing_of_a_fork_counts_in_history_or_budget(world: World) -> None:
    history(SIZE)
    before, cases = counted(), list(Case.objects.order_by("pk").values())
    new = CaseRun("test_of_the_fork", FLIP, "billing")
    changed = suite(SIZE, CaseRun(CASE, WORDING), CaseRun("test_ticket[2]", FLIP, "billing"))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("junit.xml", report([*changed, new]))
    add_artifact(world, "tiebreak", archive.getvalue())
    end_workflow_run(world, **FORK)

    assert len(judged(Run.objects.get(sha=HEAD))["findings"]) == 3
    assert counted() == before
    known = Case.objects.filter(pk__in=[each["id"] for each in cases])
    assert list(known.order_by("pk").values()) == cases
    assert not Result.objects.filter(run__sha=HEAD, is_counted=True).exists()
    assert not Escalation.objects.exists()


def test_a_flip_of_a_fork_holds_its_pull_request(world: World) -> None:
    history(SIZE)
    add_artifact(world, "tiebreak", zipped(CaseRun(CASE, FLIP, "billing")))
    end_workflow_run(world, **FORK)
    publish_all()

    assert checks(world)[-1]["conclusion"] == "action_required"
    assert "reported by a fork, not counted" in comments(world)[0]


def test_what_fails_on_a_fork_is_nobody_s_base(world: World) -> None:
    history(SIZE)
    add_artifact(world, "tiebreak", zipped(CaseRun(CASE, FLIP, "billing")))
    end_workflow_run(world, **FORK)

    told = {"pr": 8, "branch": "other", "base_sha": HEAD}
    document = take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 21, **told)

    assert only(document)["finding"] == "near_tie"


def test_each_artifact_is_fetched_once(world: World) -> None:
    add_artifact(world, "tiebreak-1", zipped())
    end_workflow_run(world, **FORK)
    run = world.repositories[REPO].workflow_runs[555]
    run["run_attempt"] = 2
    add_artifact(world, "tiebreak-1", zipped(CaseRun(CASE, WORDING)))
    end_workflow_run(world, **FORK)
    end_workflow_run(world, **FORK)

    assert downloads(world) == 2
    assert [each.run.attempt for each in Upload.objects.order_by("received_at")] == [1, 2]


def test_an_artifact_that_is_no_fork_s_is_left_alone(world: World) -> None:
    add_artifact(world, "tiebreak", zipped())
    end_workflow_run(world, head_repository={"id": world.repositories[REPO].id})

    assert downloads(world) == 0
    assert not Upload.objects.exists()


def test_an_artifact_adds_nothing_to_a_run_that_a_token_reported(world: World) -> None:
    take(suite(SIZE), 20, run_id="555", pr=PULL, branch="change")
    add_artifact(world, "tiebreak", zipped(CaseRun(CASE, WORDING)))
    end_workflow_run(world, **FORK)

    assert Upload.objects.count() == 1
    delivery = WebhookDelivery.objects.latest("pk")
    assert "was reported with a token" in delivery.error
    assert delivery.processed_at is not None


@pytest.mark.parametrize(
    ("body", "told", "why"),
    [
        (b"PK\x03\x04 cut", {}, "cannot be read"),
        (b"PK", {"size_in_bytes": DEFAULT_LIMITS.compressed_bytes + 1}, "are left for this run"),
    ],
)
def test_an_artifact_that_cannot_be_taken_is_named_and_leaves_no_check_pending(
    world: World, body: bytes, told: dict[str, Any], why: str
) -> None:
    add_artifact(world, "tiebreak", body, **told)
    end_workflow_run(world, **FORK)
    publish_all()

    assert why in WebhookDelivery.objects.latest("pk").error
    check = checks(world)[-1]
    assert check["conclusion"] == "neutral"
    assert (
        "> Left out, so that what it holds is not known: artifact tiebreak"
        in (check["output"]["summary"])
    )
    assert why in check["output"]["summary"]
    assert not Upload.objects.exists()


def test_what_is_left_out_beside_a_report_is_named_on_the_check_and_on_the_run_s_page(
    world: World, admin_client: Client
) -> None:
    add_artifact(world, "tiebreak-good", zipped())
    for number in range(12):
        add_artifact(world, f"tiebreak-<b>@acme{number}", b"PK\x03\x04 cut")
    end_workflow_run(world, **FORK)
    publish_all()

    summary = checks(world)[-1]["output"]["summary"]
    page = admin_client.get(reverse("run", args=[Run.objects.get(sha=HEAD).pk])).content.decode()
    assert "artifact tiebreak-\\<b\\>@\u2060acme9" in summary
    assert "artifact tiebreak-&lt;b&gt;@acme9" in page
    for shown in (summary, page):
        assert shown.count("Left out, so that what it holds is not known") == 10
        assert "2 more were left out." in shown


def test_a_size_that_was_not_told_is_counted_as_it_comes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.webhooks.forks.DEFAULT_LIMITS", type(DEFAULT_LIMITS)(100))
    add_artifact(world, "tiebreak", b"P" * 5_000, size_in_bytes=10)
    end_workflow_run(world, **FORK)

    assert "holds more than 100 bytes" in WebhookDelivery.objects.latest("pk").error


def test_github_is_asked_again_for_an_artifact_and_given_up_in_the_end(world: World) -> None:
    add_artifact(world, "tiebreak", zipped())
    for _ in range(MOST_TRIES):
        world.faults.append(("GET .*artifacts", RefusalError(502, "Server Error"), False))
    end_workflow_run(world, **FORK)
    delivery = WebhookDelivery.objects.latest("pk")
    assert delivery.processed_at is None

    for _ in range(MOST_TRIES - 2):
        with pytest.raises(Exception, match="502"):
            process(delivery.pk)
    process(delivery.pk)
    publish_all()

    delivery.refresh_from_db()
    assert f"tried {MOST_TRIES} times" in delivery.error
    assert checks(world)[-1]["conclusion"] == "neutral"


def test_a_merge_queue_s_commit_is_judged(world: World) -> None:
    queued = sha(23)
    world.repositories[REPO].commits.add(queued)
    group = {"head_sha": queued, "base_ref": "refs/heads/main"}
    body = {"action": "checks_requested", "repository": repository(world), "merge_group": group}
    deliver("merge_group", body)
    publish_all()
    waiting = next(each for each in checks(world) if each["head_sha"] == queued)
    assert waiting["status"] == "in_progress"

    branch = f"gh-readonly-queue/main/pr-{PULL}-{HEAD}"
    take(suite(SIZE), 20, sha=queued, branch=branch, run_id="600")
    publish_all()

    (check,) = [each for each in checks(world) if each["head_sha"] == queued]
    assert (check["status"], check["conclusion"]) == ("completed", "success")
    assert not Run.objects.get(sha=queued).is_reference


def test_what_fails_on_the_base_already_does_not_fail_the_pull_request(world: World) -> None:
    history(SIZE)
    broken = CaseRun("test_ticket[3]", "E       KeyError: 'label'", None)
    base = sha(19)
    take(suite(SIZE, broken), 19)
    told = {"pr": PULL, "branch": "change", "base_sha": base}
    document = take(suite(SIZE, broken), 20, **told)
    publish_all()

    assert only(document)["finding"] == "inherited"
    head = [each for each in checks(world) if each["head_sha"] == HEAD]
    assert head[-1]["conclusion"] == "success"
    assert "inherited" in comments(world)[0]
