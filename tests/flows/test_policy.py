"""A policy comes in with an upload, by a command, or is only checked."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from tests.flows.policies import MATCH, set_policy, tie_break
from tests.flows.suites import FLIP, REPO, CaseRun, history, only, report, sha, suite, take
from tests.web.pages.reading import queries, text
from triage.models import Case, StoredPolicy
from triage.policy.stored import policy_in_force
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

pytestmark = pytest.mark.django_db(transaction=True)

CRITICAL = "version: 1\n" + tie_break("{policy: block}", critical="[fraud]")
WRONG = "version: 1\nbudgets:\n  - {match: '**', rate: 240%}\n"
PATH = f"/repositories/{REPO}/policy/"


def upload(number: int, policy: str, **fields: Any) -> Any:
    """Upload a clean run together with a policy."""
    secret = create_token(find_or_add_repository(REPO), "ci")
    form = {
        "repo": REPO,
        "sha": sha(number),
        "run_id": f"ci-{number}",
        "files": SimpleUploadedFile("junit.xml", report(suite(2))),
        "policy": SimpleUploadedFile(".tiebreak.yml", policy.encode()),
    } | fields
    answer = Client().post("/api/v1/uploads", form, headers={"Authorization": f"Bearer {secret}"})
    return answer.json()


def in_force() -> str:
    """Return the text of the policy in force."""
    return policy_in_force(find_or_add_repository(REPO).pk).text


def test_a_run_of_the_default_branch_sets_the_policy_that_judges_it() -> None:
    verdict = upload(1, CRITICAL)

    assert in_force() == CRITICAL
    assert verdict["policy"]["sha256"] == StoredPolicy.objects.get().sha256


def test_a_pull_request_is_judged_by_the_policy_that_it_wants_to_change() -> None:
    upload(1, CRITICAL)
    verdict = upload(2, "version: 1\n", pr="7", branch="change")

    assert in_force() == CRITICAL
    assert verdict["policy"]["sha256"] == StoredPolicy.objects.get().sha256


def test_a_pull_request_is_told_what_is_wrong_with_its_policy() -> None:
    verdict = upload(2, WRONG, pr="7", branch="change")

    (warning,) = [each for each in verdict["warnings"] if "tiebreak.yml" in each]
    assert "line 3, column" in warning
    assert "240" in warning


def test_a_policy_with_errors_leaves_the_last_good_one_in_force_and_every_run_says_so() -> None:
    upload(1, CRITICAL)
    upload(2, WRONG)
    verdict = upload(3, WRONG)

    assert in_force() == CRITICAL
    assert any("is not in force, line 3" in each for each in verdict["warnings"])


def test_a_policy_on_the_command_line_comes_with_the_run(tmp_path: Path) -> None:
    junit, policy = tmp_path / "junit.xml", tmp_path / ".tiebreak.yml"
    junit.write_bytes(report(suite(2)))
    policy.write_text(CRITICAL)

    call_command("triage", str(junit), "--repo", REPO, "--sha", sha(1), "--policy", str(policy))

    assert in_force() == CRITICAL


def test_a_policy_is_set_and_checked_by_commands(tmp_path: Path) -> None:
    history(2, 1)
    file, wrong = tmp_path / "policy.yml", tmp_path / "wrong.yml"
    file.write_text(CRITICAL)
    wrong.write_text(WRONG)
    out = io.StringIO()

    call_command("check_policy", str(file), "--repo", REPO, stdout=out)
    call_command("set_policy", REPO, str(file), stdout=out)

    assert f"labels[0] {MATCH}: 2 cases" in out.getvalue()
    assert in_force() == CRITICAL
    with pytest.raises(CommandError, match=r"line 3, column .*rate"):
        call_command("set_policy", REPO, str(wrong))
    assert in_force() == CRITICAL


def check(body: str) -> Any:
    """Check a policy over the API."""
    secret = create_token(find_or_add_repository(REPO), "ci")
    return Client().post(
        "/api/v1/policy/check",
        body,
        content_type="application/yaml",
        headers={"Authorization": f"Bearer {secret}"},
    )


def test_the_api_checks_a_policy_and_says_which_rule_matches_which_case() -> None:
    history(1, 1)

    good, bad = check(CRITICAL).json(), check(WRONG).json()

    assert good["is_legal"]
    assert good["cases"][0]["labels"] == f"rule 1 of 1, labels[0], matched {MATCH}"
    assert not bad["is_legal"]
    assert (bad["errors"][0]["line"], bad["errors"][0]["value"]) == (3, "240%")


def test_the_schema_is_there_for_editors_without_a_token() -> None:
    schema = Client().get("/api/v1/policy.schema.json")

    assert schema.status_code == 200
    assert json.loads(schema.content)["$schema"].endswith("2020-12/schema")


def test_cases_that_the_policy_names_call_an_llm_whatever_their_reports_tell() -> None:
    set_policy('llm_tests: ["tests/evals/**"]\n')

    take([CaseRun("test_plain", label=None)], 1)

    assert Case.objects.get().is_llm


def test_a_label_set_of_the_policy_reads_flips_out_of_failure_texts() -> None:
    set_policy(f'labels:\n  - {{match: "{MATCH}", set: [fraud, billing]}}\n')
    for number in range(1, 13):
        take([CaseRun("test_plain", label=None, properties={"tiebreak.calls": "1"})], number)

    told = {"tiebreak.calls": "1"}
    finding = only(take([CaseRun("test_plain", FLIP, None, told)], 20, pr=7, branch="x"))

    assert (finding["difference"], finding["observed"]) == ("label", "billing")


def test_the_page_shows_what_is_in_force_and_which_rule_holds() -> None:
    history(2, 1)
    assert "No policy was set" in text(PATH)
    idle = '  - {match: "tests/gone/**", critical: [fraud]}\n'
    set_policy(tie_break("{policy: block}", critical="[fraud]") + idle)

    page = text(PATH)

    assert f"rule 1 of 2, labels[0], matched {MATCH}" in page
    assert "Rules that match no LLM case: <code>labels[1], tests/gone/**</code>" in page


def test_the_page_shows_why_a_newer_policy_is_not_in_force() -> None:
    upload(1, CRITICAL)
    upload(2, WRONG)

    page = text(PATH)

    assert "is not in force" in page
    assert "line 3, column" in page


def test_the_number_of_queries_does_not_grow_with_the_cases() -> None:
    history(2, 1)
    set_policy(tie_break("{policy: block}"))
    few = queries(PATH)
    take(suite(9), 3)

    assert queries(PATH) == few
