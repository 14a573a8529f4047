"""On GitHub the client asks for a token that says which workflow it is, where it was given none."""

import json
from pathlib import Path

from tests.client.jobs import PASSING, Job, make_job
from tests.servers.receiver import Receiver, Reply, receiving

VERDICT = {"conclusion": "passed", "exit_code": 0, "status": "done", "url": "http://x/runs/1/"}
IDENTITY = "header.claims.signature"


def reply(told: object, status: int = 200) -> Reply:
    """Return an answer in JSON."""
    return Reply(status, json.dumps(told).encode())


def on_github(folder: Path, receiver: Receiver, token: str = "") -> Job:
    """Return a job that GitHub offers a token to."""
    return make_job(
        folder,
        receiver.url("") + "/",
        token,
        ACTIONS_ID_TOKEN_REQUEST_URL=receiver.url("/token?api-version=2.0"),
        ACTIONS_ID_TOKEN_REQUEST_TOKEN="of-the-job",
    )


def test_a_job_without_a_token_sends_the_one_that_github_gives_it(tmp_path: Path) -> None:
    with receiving(reply({"value": IDENTITY}), reply(VERDICT, 201)) as receiver:
        job = on_github(tmp_path, receiver)
        job.write("junit.xml", PASSING)
        done = job.run("upload", "junit.xml")

    assert done.returncode == 0, done.stderr
    asked, sent = receiver.requests
    assert asked.headers["authorization"] == "Bearer of-the-job"
    audience = receiver.url("").replace(":", "%3A").replace("/", "%2F")
    assert asked.path == f"/token?api-version=2.0&audience={audience}"
    assert sent.headers["authorization"] == f"Bearer {IDENTITY}"
    assert IDENTITY not in done.stdout + done.stderr


def test_a_token_that_was_given_is_sent_and_github_not_asked(tmp_path: Path) -> None:
    with receiving(reply(VERDICT, 201)) as receiver:
        job = on_github(tmp_path, receiver, "tbk_given")
        job.write("junit.xml", PASSING)
        job.run("upload", "junit.xml")

    assert [each.headers["authorization"] for each in receiver.requests] == ["Bearer tbk_given"]


def test_a_refusal_of_github_is_told(tmp_path: Path) -> None:
    with receiving(reply({}, 403)) as receiver:
        job = on_github(tmp_path, receiver)
        job.write("junit.xml", PASSING)
        done = job.run("upload", "junit.xml", "--strict")

    assert done.returncode == 1
    assert "GitHub gave no identity token: HTTP Error 403" in done.stderr
