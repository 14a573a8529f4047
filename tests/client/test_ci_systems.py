"""Where in CI the client is: the variables of each system, as it sets them."""

import json
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.client.ci_variables import (
    BASE,
    GITHUB,
    HEAD,
    ON_A_PULL_REQUEST,
    ON_A_PUSH,
    PULL,
    REPO,
)
from triage.client import SYSTEMS, ClientError, Place, find_place, require_place


@pytest.fixture(autouse=True)
def _no_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the checkout of this suite, which knows a repository of its own."""
    monkeypatch.chdir(tmp_path)


def event(tmp_path: Path, told: dict[str, Any]) -> dict[str, str]:
    """Return the variable that leads to the event of a workflow."""
    path = tmp_path / "event.json"
    path.write_text(json.dumps(told))
    return {"GITHUB_EVENT_PATH": str(path)}


def test_every_system_is_tried_on_a_pull_request_and_on_a_push() -> None:
    apart = {"GitHub Actions", "TeamCity"}
    assert {each.name for each in SYSTEMS} == {*ON_A_PULL_REQUEST, *apart}
    assert {each.name for each in SYSTEMS} == {*ON_A_PUSH, "TeamCity"}


@pytest.mark.parametrize("name", ON_A_PULL_REQUEST)
def test_a_pull_request_is_known_by_its_head(name: str) -> None:
    variables, differing = ON_A_PULL_REQUEST[name]

    place = find_place(variables)

    expected = Place(
        repo=REPO, sha=HEAD, branch="fix-labels", pr="42", base_branch="main", system=name
    )
    assert asdict(place) == asdict(expected) | differing


@pytest.mark.parametrize("name", ON_A_PUSH)
def test_a_push_has_no_pull_request(name: str) -> None:
    variables, expected = ON_A_PUSH[name]

    place = asdict(find_place(variables))

    assert (place["system"], place["sha"]) == (name, HEAD)
    assert {key: place[key] for key in expected} == expected


def test_github_tells_the_head_of_a_pull_request_in_its_event(tmp_path: Path) -> None:
    variables = GITHUB | event(tmp_path, {"pull_request": PULL})
    variables |= {"TIEBREAK_JOB_INDEX": "1", "TIEBREAK_JOB_TOTAL": "3"}

    assert find_place(variables) == Place(
        repo=REPO,
        sha=HEAD,
        branch="fix-labels",
        pr="42",
        base_branch="main",
        base_sha=BASE,
        run_id="9876543210",
        attempt="2",
        job="evals",
        part="2/3",
        system="GitHub Actions",
    )


def test_a_pull_request_of_a_fork_is_known_as_one(tmp_path: Path) -> None:
    head = {"sha": HEAD, "repo": {"full_name": "stranger/support-bot"}}
    variables = GITHUB | event(tmp_path, {"pull_request": PULL | {"head": head}})

    assert find_place(variables).is_fork


def test_a_merge_queue_is_no_pull_request_and_knows_its_base(tmp_path: Path) -> None:
    queue = {"base_ref": "refs/heads/main", "base_sha": BASE, "head_sha": HEAD}
    name = f"gh-readonly-queue/main/pr-42-{BASE}"
    variables = GITHUB | event(tmp_path, {"merge_group": queue})
    variables |= {"GITHUB_REF": f"refs/heads/{name}", "GITHUB_REF_NAME": name, "GITHUB_SHA": HEAD}
    variables |= {"GITHUB_HEAD_REF": "", "GITHUB_BASE_REF": ""}

    place = find_place(variables)

    assert (place.sha, place.pr, place.branch) == (HEAD, "", name)
    assert (place.base_branch, place.base_sha) == ("main", BASE)


def git(*arguments: str) -> str:
    """Run git as somebody."""
    who = ["-c", "user.name=ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_without_its_event_the_head_is_the_second_parent_of_the_merge() -> None:
    git("init", "--quiet", "--initial-branch=main")
    git("commit", "--quiet", "--allow-empty", "-m", "base")
    git("checkout", "--quiet", "-b", "fix-labels")
    git("commit", "--quiet", "--allow-empty", "-m", "head")
    head = git("rev-parse", "HEAD")
    git("checkout", "--quiet", "main")
    git("commit", "--quiet", "--allow-empty", "-m", "moved on")
    git("merge", "--quiet", "--no-ff", "-m", "merge", "fix-labels")

    assert find_place(GITHUB).sha == head


def test_the_base_is_where_the_branch_left_its_target() -> None:
    git("init", "--quiet", "--initial-branch=main")
    git("commit", "--quiet", "--allow-empty", "-m", "base")
    base = git("rev-parse", "HEAD")
    git("update-ref", "refs/remotes/origin/main", base)
    git("commit", "--quiet", "--allow-empty", "-m", "head")
    variables, _ = ON_A_PULL_REQUEST["Drone"]

    assert find_place(variables).base_sha == base


def test_teamcity_tells_branch_and_pull_request_in_files_of_properties(tmp_path: Path) -> None:
    configuration = tmp_path / "configuration.properties"
    configuration.write_text(
        "teamcity.pullRequest.number=42\n"
        "teamcity.pullRequest.source.branch=refs/heads/fix-labels\n"
        "teamcity.pullRequest.target.branch=main\n"
    )
    build = tmp_path / "build.properties"
    build.write_text(
        "#TeamCity build properties\n"
        f"teamcity.configuration.properties.file={configuration}\n"
        "teamcity.build.branch=pull/42\nteamcity.build.id=4711\n"
    )
    git("init", "--quiet")
    git("remote", "add", "origin", "https://github.com/acme/support-bot.git")

    place = find_place(
        {
            "TEAMCITY_VERSION": "2025.07",
            "BUILD_VCS_NUMBER": HEAD,
            "BUILD_NUMBER": "17",
            "TEAMCITY_BUILDCONF_NAME": "Evals",
            "TEAMCITY_BUILD_PROPERTIES_FILE": str(build),
        }
    )

    assert place == Place(
        repo=REPO,
        sha=HEAD,
        branch="fix-labels",
        pr="42",
        base_branch="main",
        run_id="4711",
        job="Evals",
        system="TeamCity",
    )


def test_what_the_caller_tells_comes_before_what_ci_tells() -> None:
    variables, _ = ON_A_PULL_REQUEST["Drone"]

    place = find_place(variables | {"TIEBREAK_PR": "7", "TIEBREAK_PART": "1/2"})

    assert (place.pr, place.part, place.sha) == ("7", "1/2", HEAD)


def test_outside_of_ci_git_knows_repository_commit_and_branch() -> None:
    git("init", "--quiet", "--initial-branch=main")
    git("remote", "add", "origin", "ssh://git@gitlab.example.com:2222/acme/ml/bot.git")
    git("commit", "--quiet", "--allow-empty", "-m", "one")

    place = find_place({})

    assert (place.repo, place.branch) == ("acme/ml/bot", "main")
    assert place.sha == git("rev-parse", "HEAD")


@pytest.mark.parametrize("missing", ["repo", "sha"])
def test_what_nobody_knows_is_asked_for(missing: str) -> None:
    told = {"TIEBREAK_REPO": REPO, "TIEBREAK_SHA": HEAD}
    del told[f"TIEBREAK_{missing.upper()}"]

    with pytest.raises(ClientError, match=rf"{missing} is not known.*--{missing} "):
        require_place(find_place(told))
