"""What the cases of the demo expect."""

from triage.demo.evals import NAVIGATE, EvalCase, eval_cases
from triage.demo.recordings import Recording


def recording(run: int, output: str, label: str) -> Recording:
    return Recording("navigate-1", run, f"call-{run}", output, label)


def case_named(name: str) -> EvalCase:
    return next(case for case in eval_cases() if case.name == name)


def test_a_case_expects_what_the_model_answered_most_often_in_the_first_ten_runs() -> None:
    case = case_named("test_sentence[test003-17]")

    labels = [each.label for each in case.recordings[:10]]

    assert case.expected_label == "gap_or_niche"
    assert labels.count("gap_or_niche") == 9
    assert labels[0] == "topic_generalization"


def test_a_bytes_case_fails_on_other_words_and_passes_on_the_same() -> None:
    case = EvalCase(NAVIGATE, "navigate-1", "Yes", "aaa", ())

    assert case.is_met_by(recording(1, "aaa", "Yes"))
    assert not case.is_met_by(recording(1, "bbb", "Yes"))


def test_a_parsed_case_ignores_the_words() -> None:
    case = case_named("test_sentence[test028-17]")
    other_words = Recording("test028-17", 1, "call", "other", "gap_or_niche")
    other_label = Recording("test028-17", 1, "call", case.expected_output, "question_raising")

    assert case.is_met_by(other_words)
    assert not case.is_met_by(other_label)


def test_a_case_has_no_recording_before_it_joined_the_suite() -> None:
    case = case_named("test_answer[navigate-94]")

    assert case.recording_at(21) is None
    assert case.recording_at(22) == case.recordings[0]
    assert case.recording_at(31) == case.recordings[9]
    assert case.recording_at(32) is None


def test_names_are_unique() -> None:
    cases = eval_cases()

    assert len({(case.classname, case.name) for case in cases}) == len(cases) == 221
