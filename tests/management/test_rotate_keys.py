"""tiebreak rotate_keys: every stored secret under the newest key, or a reason why not."""

import io
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.core.management import CommandError, call_command

from tests.notifications.builders import make_channel, make_repository
from triage.checks.running import CheckState
from triage.checks.work import check_secrets
from triage.models import Channel, GitHubApp
from triage.models.sealed import SEALED_COLUMNS
from triage.sealing import new_key, seal, unseal

pytestmark = pytest.mark.django_db


def rotate(*arguments: str) -> str:
    """Run the command; return what it printed."""
    out = io.StringIO()
    call_command("rotate_keys", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def enter_app() -> GitHubApp:
    """Store an App whose secrets are under the keys of this moment."""
    return GitHubApp.objects.create(
        app_id=1,
        slug="tiebreak",
        sealed_private_key=seal("pem"),
        sealed_webhook_secret=seal("hook"),
    )


def test_secrets_move_to_the_first_key_and_the_old_ones_are_needed_no_more(settings: Any) -> None:
    make_channel(make_repository(), "https://hooks.example/a")
    app = enter_app()
    old, new = new_key(), new_key()
    settings.FIELD_KEYS = [old]
    rotate()
    settings.FIELD_KEYS = [new, old]

    assert rotate() == "4 of 4 secrets are under the first key\n"

    settings.FIELD_KEYS, settings.SECRET_KEY = [new], "another-" + "0" * 50
    app.refresh_from_db()
    assert unseal(app.sealed_private_key) == "pem"
    assert unseal(Channel.objects.get().target)
    assert Fernet(new).decrypt(app.sealed_webhook_secret.encode()) == b"hook"
    assert check_secrets().state is CheckState.OK


def test_rotating_again_changes_nothing(settings: Any) -> None:
    enter_app()
    settings.FIELD_KEYS = [new_key()]
    rotate()
    before = GitHubApp.objects.values().get()

    rotate()

    assert GitHubApp.objects.values().get() == before


def test_a_secret_that_no_key_decrypts_is_named_and_the_others_are_rotated(settings: Any) -> None:
    app = enter_app()
    lost = Fernet(new_key()).encrypt(b"pem").decode()
    GitHubApp.objects.update(sealed_private_key=lost)
    settings.FIELD_KEYS = [new_key()]

    with pytest.raises(CommandError, match="no key decrypts the others"):
        rotate()

    app.refresh_from_db()
    assert app.sealed_private_key == lost
    assert Fernet(settings.FIELD_KEYS[0]).decrypt(app.sealed_webhook_secret.encode()) == b"hook"
    found = check_secrets()
    assert found.state is CheckState.FAIL
    assert "1 of 2 cannot be decrypted, such as the sealed_private_key of git hub app" in found.told


def test_a_fresh_key_is_printed_and_nothing_changed() -> None:
    enter_app()
    before = GitHubApp.objects.values().get()

    Fernet(rotate("--new").strip())

    assert GitHubApp.objects.values().get() == before


def test_every_column_that_is_called_sealed_is_rotated() -> None:
    named = {
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.name.startswith("sealed_")
    }

    rotated = {(model, column) for model, columns in SEALED_COLUMNS.items() for column in columns}
    assert named <= rotated
