"""No upload breaks the reading: each awkward one gets what it must."""

import pytest

from tests.parse.hostile import Expected, uploads
from triage.parse.archives import UploadedFile
from triage.parse.upload import read_upload


@pytest.mark.parametrize(
    ("name", "body", "expected"), [pytest.param(*each, id=each[0]) for each in uploads()]
)
def test_an_awkward_upload_gets_what_it_must(name: str, body: bytes, expected: Expected) -> None:
    expected.check(read_upload([UploadedFile(name, body)]))
