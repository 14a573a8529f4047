"""The image and the compose file: what they run exists, and no secret comes with them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from celery.bin.base import CLIContext
from celery.bin.celery import celery as celery_program
from django.conf import settings
from django.core.management import get_commands, load_command_class
from pathspec import GitIgnoreSpec
from ruamel.yaml import YAML

from triage.celery import app
from triage.environment import SETTING_IDS

PROJECT = Path(__file__).parent.parent
DOCKERFILE = (PROJECT / "Dockerfile").read_text().replace("\\\n", " ")
INSTRUCTIONS = [
    line.split(maxsplit=1) for line in DOCKERFILE.splitlines() if line and line[0] not in "# "
]
COMPOSE = YAML(typ="safe").load((PROJECT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PRODUCT = ["migrate", "web", "worker", "worker-publish", "worker-slow", "beat"]
SECRET_NAME = re.compile(r"PASSWORD|SECRET|TOKEN|AUTH|DSN|_URL$")
SUBSTITUTION = re.compile(r"\$\{(\w+)(:?[-?]?)([^}]*)\}")


def arguments_of(instruction: str) -> list[str]:
    """Return what follows every use of an instruction, in order."""
    return [line[1] for line in INSTRUCTIONS if line[0] == instruction]


def copied_paths() -> list[str]:
    """Return the paths of the checkout that the image is made of."""
    copies = [line.split() for line in arguments_of("COPY") if "--from=" not in line]
    return [path for words in copies for path in words[:-1]]


def check_command(command: list[str]) -> None:
    """Parse a command as its program does; raise or exit if that refuses it."""
    if command[0] == "tiebreak":
        assert command[1] in get_commands()
        parser = load_command_class(get_commands()[command[1]], command[1])
        parser.create_parser("tiebreak", command[1]).parse_args(command[2:])
        return
    assert command[0] == "celery"
    outer = celery_program.make_context("celery", command[1:])
    outer.obj = CLIContext(app=app, no_color=True, workdir=None)
    name, subcommand, rest = celery_program.resolve_command(outer, outer._protected_args)
    assert subcommand is not None
    subcommand.make_context(name, [*rest, *outer.args], parent=outer)


def queues_of(service: str) -> set[str]:
    """Return the queues that a worker of the compose file takes its tasks from."""
    command = SERVICES[service]["command"]
    return set(command[command.index("-Q") + 1].split(","))


def test_the_services_are_the_known_ones() -> None:
    assert [*SERVICES] == [*PRODUCT, "postgres", "redis"]
    assert {(SERVICES[name]["image"], SERVICES[name]["build"]) for name in PRODUCT} == {
        ("tiebreak", ".")
    }


@pytest.mark.parametrize("service", PRODUCT)
def test_every_command_of_the_compose_file_exists(service: str) -> None:
    check_command(SERVICES[service]["command"])


def test_the_command_of_the_image_exists() -> None:
    check_command(json.loads(arguments_of("CMD")[0]))


def test_every_queue_has_one_kind_of_worker() -> None:
    workers = [queues_of(name) for name in PRODUCT if name.startswith("worker")]
    assert workers == [{"ingest", "celery"}, {"publish"}, {"slow"}]
    routes = settings.CELERY_TASK_ROUTES.values()
    used = {route["queue"] for route in routes} | {app.conf.task_default_queue}
    assert used <= set.union(*workers)


def test_no_secret_has_a_default() -> None:
    text = (PROJECT / "docker-compose.yml").read_text()
    found = {name: operator for name, operator, _ in SUBSTITUTION.findall(text)}
    assert found.pop("PORT") == ":-"
    assert set(found.values()) == {":?"}
    assert {"POSTGRES_PASSWORD", "REDIS_PASSWORD", "SECRET_KEY"} <= set(found)


@pytest.mark.parametrize("service", SERVICES)
def test_a_secret_is_always_taken_from_outside(service: str) -> None:
    for name, value in SERVICES[service].get("environment", {}).items():
        if SECRET_NAME.search(name):
            assert value is None or ":?" in value, name
    assert not [line for line in arguments_of("ENV") if SECRET_NAME.search(line)]


def test_the_environment_of_the_product_knows_every_setting() -> None:
    set_by_the_image = {"TIEBREAK_DATA_DIR"}
    never_in_production = {"DEBUG"}
    known = set(SETTING_IDS) - set_by_the_image - never_in_production
    assert known <= set(COMPOSE["x-environment"])


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_is_watched_and_has_time_to_end(service: str) -> None:
    ends_by_itself = service == "migrate"
    assert ends_by_itself or "stop_grace_period" in SERVICES[service]
    serves_nothing = service in {"migrate", "beat"}
    assert ("test" in SERVICES[service]["healthcheck"]) is not serves_nothing


def test_load_balancers_and_the_image_ask_the_addresses_made_for_it() -> None:
    assert "/readyz" in SERVICES["web"]["healthcheck"]["test"][-1]
    assert "/healthz" in arguments_of("HEALTHCHECK")[0]


def test_the_container_runs_as_a_fixed_user_that_is_not_root() -> None:
    user, group = arguments_of("USER")[-1].split(":")
    assert int(user) > 999
    assert int(group) > 999
    assert [line[0] for line in INSTRUCTIONS].index("USER") > [
        number for number, line in enumerate(INSTRUCTIONS) if line[0] == "RUN"
    ][-1]
    assert not [name for name in SERVICES if "user" in SERVICES[name]]


def test_what_is_copied_exists_and_is_not_ignored() -> None:
    ignored = GitIgnoreSpec.from_lines((PROJECT / ".dockerignore").read_text().splitlines())
    for path in copied_paths():
        assert (PROJECT / path).exists(), path
        assert not ignored.match_file(path), path
    assert {"CHANGELOG.md", "docs", "triage", "budgets"} <= set(copied_paths())
    for path in (".git/config", "tests/conftest.py", "data/secret_key", ".env"):
        assert ignored.match_file(path), path


def test_packages_are_pinned_and_none_is_for_development() -> None:
    installs = [line for line in arguments_of("RUN") if "pip install" in line]
    assert len(installs) == 1
    assert " -c constraints.txt " in installs[0]
    assert "dev" not in re.findall(r"\[([\w,]+)\]", installs[0])


def test_volumes_that_are_used_are_declared() -> None:
    mounts = [mount for each in SERVICES.values() for mount in each.get("volumes", [])]
    used = {mount.split(":")[0] for mount in mounts}
    assert used == set(COMPOSE["volumes"])
