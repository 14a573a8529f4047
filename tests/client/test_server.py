"""What the client makes of every answer of a server, and of none."""

import json
from pathlib import Path

import pytest

from tests.client.jobs import PASSING, make_job
from tests.servers.ports import LOOPBACK, free_port
from tests.servers.receiver import Reply, receiving

VERDICT = {"conclusion": "passed", "exit_code": 0, "status": "done", "url": "http://x/runs/1/"}


def answer(status: int, told: object, **headers: str) -> Reply:
    """Return an answer as the server gives it."""
    return Reply(
        status, json.dumps(told).encode(), {k.replace("_", "-"): v for k, v in headers.items()}
    )


def refusal(status: int, code: str, message: str, **headers: str) -> Reply:
    """Return a refusal in the one error shape."""
    return answer(status, {"error": {"code": code, "message": message}}, **headers)


@pytest.mark.parametrize(
    ("status", "code", "remedy"),
    [
        (400, "invalid_request", "sha must be a commit id"),
        (401, "unauthorized", "TIEBREAK_TOKEN is set from"),
        (403, "forbidden", "tiebreak create_token"),
        (404, "not_found", "check TIEBREAK_URL"),
        (413, "payload_too_large", "upload fewer files at once"),
        (422, "unreadable_report", "junit.xml"),
    ],
)
def test_a_refusal_says_what_was_wrong_and_what_to_do(
    tmp_path: Path, status: int, code: str, remedy: str
) -> None:
    message = {400: "sha must be a commit id", 422: "junit.xml: line 1: no XML"}.get(status, "no")
    with receiving(refusal(status, code, message)) as receiver:
        job = make_job(tmp_path, receiver.url(""))
        job.write("junit.xml", PASSING)
        done = job.run("upload", "junit.xml", "--gate")

    assert done.returncode == 2
    assert f"refused it with {status}: {message}" in done.stderr
    assert remedy in done.stderr
    assert len(receiver.requests) == 1


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_may_be_tried_again_is_tried_after_the_pause_that_the_server_asks_for(
    tmp_path: Path, status: int
) -> None:
    busy = refusal(status, "unavailable", "the database does not answer", Retry_After="0")
    with receiving(busy, busy, answer(201, VERDICT)) as receiver:
        job = make_job(tmp_path, receiver.url(""), TIEBREAK_RETRY_S="20")
        job.write("junit.xml", PASSING)
        done = job.run("upload", "junit.xml", "--gate")

    assert done.returncode == 0
    assert done.stderr.count("the database does not answer; trying again in 0 s") == 2
    bodies = {request.body for request in receiver.requests}
    assert (len(receiver.requests), len(bodies)) == (3, 1)


def test_a_pause_that_is_longer_than_the_patience_ends_the_tries(tmp_path: Path) -> None:
    with receiving(refusal(429, "rate_limited", "too fast", Retry_After="50")) as receiver:
        job = make_job(tmp_path, receiver.url(""), TIEBREAK_RETRY_S="5")
        job.write("junit.xml", PASSING)
        done = job.run("upload", "junit.xml", "--strict")

    assert done.returncode == 1
    assert "too fast (tried 1 times)" in done.stderr


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 0),
        (["--gate"], 0),
        (["--gate", "--strict"], 1),
        # The tests are known to fail, and nobody said that it is a flake.
        (["--gate", "--test-exit-code", "1"], 1),
        (["--test-exit-code", "1"], 0),
    ],
)
def test_a_server_that_cannot_be_reached_is_a_loud_warning(
    tmp_path: Path, options: list[str], code: int
) -> None:
    job = make_job(tmp_path, f"http://{LOOPBACK}:{free_port()}", GITHUB_ACTIONS="true")
    job.write("junit.xml", PASSING)

    done = job.run("upload", "junit.xml", *options)

    assert done.returncode == code
    assert "WARNING: " in done.stderr
    assert "does not answer" in done.stderr
    assert "::warning title=Tiebreak gave no verdict::" in done.stdout


def test_a_verdict_that_does_not_come_in_time_is_no_pass(tmp_path: Path) -> None:
    pending = answer(202, {"status": "pending", "exit_code": 0, "upload": {"url": "/u/1"}})
    with receiving(pending) as receiver:
        job = make_job(tmp_path, receiver.url(""))
        job.write("junit.xml", PASSING)
        done = job.run("upload", "junit.xml", "--gate", "--strict", "--wait", "0")

    assert done.returncode == 1
    assert "there was no verdict within 0 s" in done.stderr


def test_a_report_that_could_not_be_processed_holds(tmp_path: Path) -> None:
    dead = answer(202, {"status": "failed", "exit_code": 0, "upload": {"url": "/u/1"}})
    with receiving(dead) as receiver:
        job = make_job(tmp_path, receiver.url(""))
        job.write("junit.xml", PASSING)
        done = job.run("upload", "junit.xml", "--gate")

    assert done.returncode == 3
    assert "could not be processed" in done.stderr


def test_a_redirect_is_named_and_never_followed(tmp_path: Path) -> None:
    with receiving() as target:
        moved = Reply(308, b"", {"Location": target.url("/api/v1/uploads")})
        with receiving(moved) as receiver:
            job = make_job(tmp_path, receiver.url(""))
            job.write("junit.xml", PASSING)
            done = job.run("upload", "junit.xml")

    assert done.returncode == 2
    assert f"redirects to {target.url('/api/v1/uploads')}" in done.stderr
    assert target.requests == []


def test_an_address_of_something_else_is_named(tmp_path: Path) -> None:
    with receiving(Reply(200, b"<html>Welcome</html>")) as receiver:
        job = make_job(tmp_path, receiver.url(""))
        job.write("junit.xml", PASSING)
        done = job.run("upload", "junit.xml")

    assert done.returncode == 2
    assert "it is no Tiebreak server" in done.stderr


@pytest.mark.parametrize("url", ["", "tiebreak.example.com", "file:///etc/passwd", "http://"])
def test_a_wrong_address_is_refused_before_anything_is_sent(tmp_path: Path, url: str) -> None:
    job = make_job(tmp_path, url)
    job.write("junit.xml", PASSING)

    done = job.run("upload", "junit.xml")

    assert done.returncode == 2
    assert "TIEBREAK_URL must be the address of the server" in done.stderr


def test_a_missing_token_says_how_to_make_one(tmp_path: Path) -> None:
    job = make_job(tmp_path, "http://127.0.0.1:9", "")
    job.write("junit.xml", PASSING)

    done = job.run("upload", "junit.xml", "--gate")

    assert done.returncode == 2
    assert "tiebreak create_token acme/support-bot" in done.stderr


def test_a_fork_without_secrets_is_warned_and_not_failed(tmp_path: Path) -> None:
    sides = {"head": {"repo": {"full_name": "x/y"}}, "base": {"repo": {"full_name": "acme/y"}}}
    told = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": "event.json"}
    job = make_job(tmp_path, "http://127.0.0.1:9", "", **told)
    job.write("event.json", json.dumps({"pull_request": {"number": 3, **sides}}))
    job.write("junit.xml", PASSING)

    done = job.run("upload", "junit.xml", "--gate")

    assert done.returncode == 0
    assert "CI keeps its secrets from a pull request of a fork" in done.stderr


def test_no_file_says_which_pattern_and_where(tmp_path: Path) -> None:
    done = make_job(tmp_path, "http://127.0.0.1:9").run("upload", "reports/*.xml")

    assert done.returncode == 2
    assert f"no file matches reports/*.xml in {tmp_path}" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--command", "pytest {tests}", "--", "pytest", "{tests}"), "with --command, not both"),
        (("--command", "pytest '{tests}"), "pytest '{tests}\" are not clear: No closing quotation"),
        (("--command", "pytest"), "second-pass needs a command with {tests} in it"),
        ((), "second-pass needs a command with {tests} in it"),
    ],
)
def test_a_command_that_repeats_nothing_is_refused_before_anything_is_sent(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    with receiving() as receiver:
        job = make_job(tmp_path, receiver.url(""))
        job.write("junit.xml", PASSING)
        done = job.run("second-pass", "junit.xml", *words)

    assert done.returncode == 2
    assert told in done.stderr
    assert receiver.requests == []


def test_the_token_stands_in_no_output(tmp_path: Path) -> None:
    with receiving(refusal(401, "unauthorized", "the token is not known here")) as receiver:
        job = make_job(tmp_path, receiver.url(""), "tbk_secret")
        job.write("junit.xml", PASSING)
        done = job.run("upload", "junit.xml")

    assert receiver.requests[0].headers["authorization"] == "Bearer tbk_secret"
    assert "tbk_secret" not in done.stdout + done.stderr


def test_what_repeats_tests_does_not_see_the_token(tmp_path: Path) -> None:
    case = {"case": "evals::test_a", "file": "evals.py", "classname": "evals", "name": "test_a"}
    plan = VERDICT | {"second_pass": {"cases": [case | {"repeats": 1}]}}
    command = 'echo "$1 ${TIEBREAK_TOKEN-sees nothing}"; cp junit.xml "$2"'
    with receiving(answer(201, plan), answer(201, VERDICT)) as receiver:
        job = make_job(tmp_path, receiver.url(""), "tbk_secret")
        job.write("junit.xml", PASSING)
        done = job.run(
            *("second-pass", "junit.xml", "--", "sh", "-c", command, "sh", "{tests}", "{report}")
        )

    assert done.returncode == 0
    assert "evals.py::test_a sees nothing\n" in done.stdout
