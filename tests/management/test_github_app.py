"""Entering the GitHub App on the command line."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from triage.publish.app import github_app

pytestmark = pytest.mark.django_db
API = "https://github.acme.example/api/v3"


def enter(folder: Path, **told: Any) -> None:
    """Enter an App of an Enterprise Server, its secrets in files."""
    files = {"private_key": "key", "webhook_secret": "hook"}
    for name, text in files.items():
        (folder / name).write_text(text)
    paths = {name: folder / name for name in files}
    call_command("github_app", app_id=1, slug="tiebreak", api_url=API, **paths, **told)


def test_pages_are_where_the_api_is_and_nobody_signs_in_without_a_client_secret(
    tmp_path: Path,
) -> None:
    enter(tmp_path, client_id="Iv1.0")

    app = github_app()
    assert app is not None
    assert (app.html_url, app.lets_sign_in) == ("https://github.acme.example", False)


def test_a_client_secret_lets_people_sign_in(tmp_path: Path) -> None:
    file = tmp_path / "client"
    file.write_text("told\n")

    enter(tmp_path, client_id="Iv1.0", client_secret=file)

    app = github_app()
    assert app is not None and app.lets_sign_in
    assert app.client_secret.read() == "told"
    with pytest.raises(CommandError, match="cannot be read"):
        enter(tmp_path, client_secret=tmp_path / "none")
