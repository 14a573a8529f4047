"""The servers that the suite brings along do what tests rely on."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.db import connection

from tests.servers.processes import DidNotStartError, running

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


@pytest.mark.browser
def test_the_browser_runs_scripts_and_keeps_a_screenshot(
    browser_page: "Page", take_screenshot: "Callable[[str], Path]"
) -> None:
    browser_page.set_content("<h1 id=title>waiting</h1>")
    browser_page.evaluate("title.textContent = 'Tiebreak'")
    assert browser_page.locator("h1").inner_text() == "Tiebreak"
    assert take_screenshot("browser").read_bytes().startswith(b"\x89PNG")


@pytest.mark.postgres
@pytest.mark.django_db
def test_the_pass_on_postgresql_really_is_on_postgresql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT version()")
        assert cursor.fetchone()[0].startswith("PostgreSQL ")


def test_a_process_that_never_gets_ready_is_reported_with_what_it_wrote() -> None:
    command = ["sh", "-c", "echo cannot open port"]
    with pytest.raises(DidNotStartError, match="cannot open port"), running(command, ready="up"):
        pytest.fail("the block of a process that is not ready must not run")
