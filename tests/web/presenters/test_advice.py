"""What a case is advised to tell."""

from triage.models import Case, Epoch
from triage.web.presenters.advice import LABELS, MARGIN, PROMPT, SNAPSHOT, advice


def test_a_case_that_tells_everything_gets_no_advice() -> None:
    epoch = Epoch(model_snapshot="acme-llm-1", prompt_sha256="0" * 64, margins=3)

    assert advice(Case(is_llm=True), epoch, has_labels=True) == []


def test_a_case_without_labels_is_not_asked_for_their_margin_yet() -> None:
    assert advice(Case(is_llm=True), None, has_labels=False) == [LABELS, SNAPSHOT, PROMPT]


def test_a_case_with_labels_is_asked_for_their_margin() -> None:
    epoch = Epoch(model_snapshot="acme-llm-1", prompt_sha256="0" * 64)

    assert advice(Case(is_llm=True), epoch, has_labels=True) == [MARGIN]


def test_a_case_without_llm_calls_is_left_in_peace() -> None:
    assert advice(Case(is_llm=False), None, has_labels=False) == []
