"""The client as the server serves it."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from triage import client

SOURCE = Path(client.__file__).read_bytes()
SHA256 = hashlib.sha256(SOURCE).hexdigest()
VALUES = ["tiebreak.py", client.__version__, SHA256]


def test_the_file_comes_with_its_version_and_digest() -> None:
    response = Client().get("/tiebreak.py")

    assert response.content == SOURCE
    assert response["Content-Type"] == "text/x-python; charset=utf-8"
    assert response["X-Tiebreak-Version"] == client.__version__
    assert response["X-Tiebreak-SHA256"] == SHA256
    digest = base64.b64encode(hashlib.sha256(SOURCE).digest()).decode()
    assert response["Repr-Digest"] == f"sha-256=:{digest}:"


def test_the_checksum_is_a_line_for_sha256sum() -> None:
    assert Client().get("/tiebreak.py.sha256").content.decode() == f"{SHA256}  tiebreak.py\n"


def test_a_file_that_is_there_already_is_not_sent_again() -> None:
    response = Client().get("/tiebreak.py", headers={"If-None-Match": f'"{SHA256}"'})

    assert (response.status_code, response.content) == (304, b"")


def test_nothing_but_reading_is_allowed() -> None:
    assert Client().post("/tiebreak.py").status_code == 405


def test_the_page_shows_the_lines_to_paste_with_the_digest_in_them() -> None:
    page = Client().get("/client/").content.decode()

    assert f"echo &quot;{SHA256}  tiebreak.py&quot; | sha256sum --check" in page or (
        f'echo "{SHA256}  tiebreak.py" | sha256sum --check' in page
    )
    assert "pytest {tests} --junitxml={report}" in page


@pytest.mark.browser
@pytest.mark.parametrize("width", [375, 1440])
def test_a_browser_shows_the_page_whole_with_every_name_above_its_value(
    transactional_db: None, browser_page: Any, take_screenshot: Any, width: int
) -> None:
    browser_page.set_viewport_size({"width": width, "height": 900})
    browser_page.goto("/client/")

    for name, value in zip(browser_page.query_selector_all("dt"), VALUES, strict=True):
        shown = browser_page.get_by_text(value, exact=True).first
        above, below = name.bounding_box(), shown.bounding_box()
        assert above["y"] + above["height"] <= below["y"] + 1
        assert abs(above["x"] - below["x"]) <= 1
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= width
    assert take_screenshot(f"client-{width}").stat().st_size > 10_000
