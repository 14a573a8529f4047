"""What a run's page says of its uploads."""

import pytest

from tests.web.builders import make_part, make_repository, make_run, make_upload
from triage.web.presenters.imports import MOST_NOTES, imported_uploads

pytestmark = pytest.mark.django_db

READING = {
    "files": [
        {
            "file": "a.xml",
            "tests": 3,
            "incomplete": True,
            "warnings": [{"message": "a negative duration is no duration", "line": 7}],
        },
        {"file": "b.html", "kind": "not_junit", "error": "an HTML page", "line": None},
        {"file": "c.txt", "kind": "ignored", "error": "not a report"},
    ]
}


def test_notes_come_worst_first_and_name_file_and_line() -> None:
    run = make_run(make_repository())
    make_upload(make_part(run, {}, name="llm 1/2"), reading=READING)

    [shown] = imported_uploads(run.pk)

    assert (shown.part, shown.files, shown.tests) == ("llm 1/2", 1, 3)
    assert shown.notes == [
        "a.xml: cut off, INCOMPLETE",
        "b.html: refused: an HTML page",
        "a.xml, line 7: a negative duration is no duration",
        "c.txt: ignored: not a report",
    ]


def test_many_notes_are_counted_and_not_listed() -> None:
    run = make_run(make_repository())
    refused = [
        {"file": f"{n}.html", "kind": "HTML", "error": "no XML"} for n in range(MOST_NOTES + 4)
    ]
    make_upload(make_part(run, {}), reading={"files": refused})

    [shown] = imported_uploads(run.pk)

    assert (len(shown.notes), shown.notes_left_out) == (MOST_NOTES, 4)


def test_an_upload_that_is_not_read_yet_has_nothing_to_say() -> None:
    run = make_run(make_repository())
    make_upload(make_part(run, {}), state="received")

    [shown] = imported_uploads(run.pk)

    assert (shown.state, shown.files, shown.notes) == ("received", 0, [])
