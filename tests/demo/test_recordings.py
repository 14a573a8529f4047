"""The excerpt of recorded calls holds what its README says."""

from collections import Counter

from triage.demo.recordings import Recording, answer_recordings, sentence_recordings


def test_sentences_of_a_text_share_the_call_that_labelled_them() -> None:
    calls = Counter(each.call_id for each in sentence_recordings() if each.run == 44)

    assert calls == {
        "temp_0.0/run_44/test002": 16,
        "temp_0.0/run_44/test003": 19,
        "temp_0.0/run_44/test014": 26,
        "temp_0.0/run_44/test018": 39,
        "temp_0.0/run_44/test026": 14,
        "temp_0.0/run_44/test028": 24,
        "temp_0.0/run_44/test029": 18,
        "temp_0.0/run_44/test033": 15,
    }


def test_every_case_was_recorded_in_every_run() -> None:
    sentences = Counter(each.case for each in sentence_recordings())
    answers = Counter(each.case for each in answer_recordings("navigate"))

    assert len(sentences) == 171
    assert set(sentences.values()) == {34}
    assert len(answers) == 25
    assert set(answers.values()) == {10}


def test_an_answer_has_a_call_of_its_own() -> None:
    first = next(answer_recordings("logical_deduction"))

    assert first == Recording(
        case="logical_deduction-160",
        run=1,
        call_id="35-turbo-0.0-logical_deduction-few-2024-12-20_19-52-06/0/160",
        output_sha256="d8960df51d71",
        label="A",
    )
