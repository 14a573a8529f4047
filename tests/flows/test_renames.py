"""A case under a new name keeps its history, once a person or the policy says it is the same."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from budgets.models import Charge
from tests.flows.policies import set_policy
from tests.flows.suites import FLIP, REPO, WORDING, CaseRun, only, take
from tests.web.pages.reading import text
from triage.models import Case, CaseRename, Epoch, EpochDay, Escalation, Repository, Result
from triage.record.renames.proposing import open_renames

pytestmark = pytest.mark.django_db

PATH = f"/repositories/{REPO}/renames/"
OLD, NEW = "test_old", "test_new"


def run(
    number: int, *names: str, failure: str = "", prompt: str = "p", **told: Any
) -> dict[str, Any]:
    """Take a run with cases of these names; every name has a prompt of its own unless it is new."""
    cases = [
        CaseRun(name, failure, properties={"tiebreak.prompt_sha256": prompt * 64}) for name in names
    ]
    other = CaseRun("test_other", properties={"tiebreak.prompt_sha256": "0" * 64})
    return take([*cases, other], number, **told)


def renamed() -> None:
    """Take a history under the old name and three runs under the new one."""
    for number in range(1, 11):
        run(number, OLD, failure=WORDING if number == 5 else "")
    for number in range(11, 14):
        run(number, NEW, failure=WORDING if number == 12 else "")


def proposal() -> CaseRename:
    """Return the only proposal that holds."""
    (found,) = open_renames(Repository.objects.get().pk)
    return found


def signed_in() -> Client:
    """Return somebody who may decide."""
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


def decide(answer: str) -> int:
    """Answer the proposal on its page."""
    body = {"rename": proposal().pk, "answer": answer}
    return signed_in().post(PATH, body).status_code


def test_a_newcomer_with_the_prompt_and_labels_of_one_that_went_is_proposed() -> None:
    renamed()

    found = proposal()

    assert found.old_title.endswith(OLD)
    assert found.new_title.endswith(NEW)
    assert "same prompt pppppppppp and labels" in text(PATH)


def test_another_prompt_or_a_case_that_is_still_run_is_no_rename() -> None:
    run(1, OLD)
    run(2, NEW, prompt="q")
    assert open_renames(Repository.objects.get().pk) == []

    run(3, OLD, NEW)
    assert open_renames(Repository.objects.get().pk) == []


def test_a_name_that_comes_back_withdraws_the_proposal() -> None:
    renamed()
    run(20, OLD)

    assert open_renames(Repository.objects.get().pk) == []


def test_a_confirmed_rename_brings_tallies_charges_and_outcomes_along() -> None:
    renamed()
    pk = Case.objects.get(name=OLD).pk

    assert decide("confirm") == 302

    case = Case.objects.get(name=NEW)
    epoch = Epoch.objects.get(case=case)
    assert case.pk == pk
    assert not Case.objects.filter(name=OLD).exists()
    assert (epoch.calls, epoch.text, epoch.results) == (13, 2, 13)
    assert sum(EpochDay.objects.filter(epoch=epoch).values_list("calls", flat=True)) == 13
    assert set(Charge.objects.values_list("case_id", "epoch_id")) == {(pk, epoch.pk)}
    assert Result.objects.filter(case=case).count() == 2
    assert "Last 13 runs that held this case" in text(f"/cases/{pk}/")


def test_the_history_counts_in_the_next_judgement() -> None:
    renamed()
    decide("confirm")

    finding = only(run(30, NEW, failure=WORDING, pr=7, branch="change"))

    assert (finding["rate"]["divergent"], finding["rate"]["calls"]) == (2, 13)


def test_a_refused_rename_leaves_two_cases_and_is_not_asked_again() -> None:
    renamed()

    assert decide("refuse") == 302
    run(20, NEW)

    assert Case.objects.filter(name__in=[OLD, NEW]).count() == 2
    assert open_renames(Repository.objects.get().pk) == []
    assert "refused by <bdi>ada</bdi>" in text(PATH)


def test_an_open_question_follows_its_case() -> None:
    renamed()
    flipped = CaseRun(NEW, FLIP, "billing", {"tiebreak.prompt_sha256": "p" * 64})
    take([flipped], 20, pr=1, branch="x")
    question = Escalation.objects.get()
    decide("confirm")

    question.refresh_from_db()
    assert question.case == Case.objects.get(name=NEW)
    assert question.epoch.case_id == question.case_id


def test_whoever_is_not_signed_in_confirms_nothing() -> None:
    renamed()

    assert Client().post(PATH, {"rename": proposal().pk, "answer": "confirm"}).status_code == 302
    assert Case.objects.filter(name=OLD).exists()


def test_a_proposal_of_another_repository_is_not_there() -> None:
    renamed()
    pk = proposal().pk
    run(1, OLD, repo="other/repository")

    answer = signed_in().post(
        "/repositories/other/repository/renames/", {"rename": pk, "answer": "confirm"}
    )

    assert answer.status_code == 400
    assert Case.objects.filter(name=OLD, repository__full_name=REPO).exists()


def test_the_policy_renames_before_anything_is_recorded() -> None:
    for number in range(1, 11):
        run(number, OLD)
    pk = Case.objects.get(name=OLD).pk
    place = "tests/evals/test_refunds.py::"
    set_policy(f'renames:\n  - {{from: "{place}{OLD}", to: "{place}{NEW}"}}\n')
    run(11, NEW)

    case = Case.objects.get(name=NEW)
    assert case.pk == pk
    assert Epoch.objects.get(case=case).calls == 11


def test_the_command_renames_and_refuses_cases_that_were_run_together() -> None:
    renamed()
    prefix = "tests.evals.test_refunds::"

    with pytest.raises(CommandError, match="both in one run"):
        call_command("rename_case", REPO, f"{prefix}{OLD}", f"{prefix}test_other")
    with pytest.raises(CommandError, match="there is no case 'nothing'"):
        call_command("rename_case", REPO, "nothing", f"{prefix}{NEW}")
    call_command("rename_case", REPO, f"{prefix}{OLD}", f"{prefix}{NEW}")

    assert Epoch.objects.get(case__name=NEW).calls == 13
