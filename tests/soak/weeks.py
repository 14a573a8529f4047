"""The days of a soak: CI sends, faults befall, time passes; in the end everything is counted."""

import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

from django.utils import timezone

from tests.flows.github import install
from tests.servers.github.server import fake_github
from tests.servers.github.world import Chaos, World
from tests.servers.missing import stop_without
from tests.servers.redis import REMEDY, find_redis_server
from tests.soak.ci import REPOS, Ci, Report
from tests.soak.invariants import check
from tests.soak.servers import Servers
from triage.models import Publication, Upload
from triage.terms import OPEN_UPLOADS, PublicationState
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

# One request to GitHub in ten goes wrong; one report in eight is sent twice, at the same time.
GITHUB_FAULTS, TWICE = 0.1, 1 / 8
SENDERS = 4
FAULTS_A_DAY = 2
PROCESSES = ("broker", "web", "steady", "mortal", "clock")
DRAIN_S = 900


def live(days: int, seed: int) -> int:
    """Live through some days and print what came of them; return 1 when something is wrong."""
    redis = find_redis_server() or stop_without("Redis", REMEDY)
    with tempfile.TemporaryDirectory() as folder, fake_github() as world:
        ci = Ci(seed, datetime.now(UTC) - timedelta(hours=1), days)
        servers = Servers(redis, Path(folder), seed)
        start = time.monotonic()
        try:
            memory = _live(ci, servers, world, days, seed)
        finally:
            servers.stop()
        return _tell(ci, servers, world, memory, time.monotonic() - start)


def _live(ci: Ci, servers: Servers, world: World, days: int, seed: int) -> list[float]:
    tokens = _set_up(world)
    servers.start(*PROCESSES)
    world.chaos = Chaos(seed, GITHUB_FAULTS)
    memory: list[float] = []
    for day in range(days):
        _live_a_day([*ci.day(day)], servers, world, tokens, seed + day)
        memory.append(servers.memory_mib())
        print(
            f"day {day + 1} of {days}: {ci.books.reports} reports, {memory[-1]:.0f} MiB", flush=True
        )
    world.chaos = None
    _drain()
    return memory


def _set_up(world: World) -> dict[str, str]:
    for name in REPOS:
        world.add_repository(name)
    install(world)
    return {name: create_token(find_or_add_repository(name), "ci") for name in REPOS}


def _live_a_day(
    reports: list[Report], servers: Servers, world: World, tokens: dict[str, str], seed: int
) -> None:
    draw = random.Random(seed)
    for each in reports:
        repository = world.repositories[each.repo]
        repository.commits.add(each.sha)
        if each.pull is not None:
            repository.pulls[each.pull] = {"head_sha": each.sha}
    sent = [each for each in reports for _ in range(1 + (draw.random() < TWICE))]
    with ThreadPoolExecutor(SENDERS) as senders:
        waiting = [senders.submit(servers.send, each, tokens[each.repo]) for each in sent]
        for _ in range(FAULTS_A_DAY):
            servers.befall()
        for answered in waiting:
            answered.result()
    _let_time_pass()


def _let_time_pass() -> None:
    """Let leases and pauses run out, as they do between two days."""
    past = timezone.now() - timedelta(minutes=1)
    Upload.objects.filter(state__in=OPEN_UPLOADS).update(leased_until=past)
    waiting = Publication.objects.filter(state=PublicationState.WAITING)
    waiting.update(next_try_at=past, leased_until=None)


def _drain() -> None:
    """Wait until nothing is left to do."""
    end = time.monotonic() + DRAIN_S
    while time.monotonic() < end:
        uploads = Upload.objects.filter(state__in=OPEN_UPLOADS).count()
        waiting = Publication.objects.filter(state=PublicationState.WAITING).count()
        if not uploads and not waiting:
            return
        print(f"waiting for {uploads} uploads and {waiting} publications", flush=True)
        _let_time_pass()
        Event().wait(5)


def _tell(ci: Ci, servers: Servers, world: World, memory: list[float], took_s: float) -> int:
    lines = check(ci.books, world, memory)
    print(f"\n{ci.books.reports} reports in {took_s:.0f} s; answers {dict(servers.statuses)}")
    print(f"faults: {dict(servers.faults)}\n")
    for line in lines:
        told = line.found if line.holds else f"{line.found}, expected {line.expected}"
        print(f"{'ok ' if line.holds else 'BAD'} {line.name}: {str(told)[:200]}")
    return int(not all(line.holds for line in lines))
