"""Examples of the API's description: what a caller sends, and what an error looks like."""

from typing import Any

SHA = "d6f1b3c09a7e4f528bb1c2d3e4f5061728394a5b"
VERDICT_TEXT = "✅ Safe to merge: 4 tests, no failure\n"

PARTS_OF_A_SUBMISSION: dict[str, dict[str, Any]] = {
    "repo": {
        "type": "string",
        "description": "OWNER/NAME, the repository of the token.",
        "examples": ["acme/support-bot"],
    },
    "sha": {
        "type": "string",
        "description": "The commit; of a pull request its head. The merge commit is led to it.",
        "examples": [SHA],
    },
    "ref": {
        "type": "string",
        "description": "The git ref, which names the branch or the pull request.",
        "examples": ["refs/pull/42/merge"],
    },
    "branch": {"type": "string", "description": "The branch, without a ref.", "examples": ["main"]},
    "pr": {"type": "integer", "description": "Number of the pull request.", "examples": [42]},
    "base_sha": {
        "type": "string",
        "description": "The commit that the pull request is compared with.",
        "examples": [SHA],
    },
    "run_id": {
        "type": "string",
        "description": "The CI system's id of the run; all its attempts share it.",
        "examples": ["9876543210"],
    },
    "attempt": {"type": "integer", "description": "From 1; a re-run counts up.", "examples": [1]},
    "job": {
        "type": "string",
        "description": "The job, the same in every attempt.",
        "examples": ["llm-tests"],
    },
    "part": {
        "type": "string",
        "description": "i/n, where a run is divided.",
        "examples": ["2/4"],
    },
    "at": {
        "type": "string",
        "format": "date-time",
        "description": "When the run took place; now, if not told.",
        "examples": ["2026-12-01T09:30:00Z"],
    },
}


def _error(code: str, message: str, **more: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "code": code,
        "message": message,
        "file": None,
        "line": None,
        "details": [],
        "help": f"https://tiebreak.example.com/api/v1/docs#{code}",
    }
    return {"error": told | more}


ERRORS: dict[str, dict[str, Any]] = {
    "invalid_request": _error(
        "invalid_request",
        "sha must be a commit id of 7 to 64 lower-case hexadecimal digits, got 'HEAD'",
    ),
    "no_files": _error(
        "no_files",
        "no report file was sent; send one or more multipart fields named 'files', each with one "
        "file",
    ),
    "unauthorized": _error("unauthorized", "no token was sent; send 'Authorization: Bearer TOKEN'"),
    "forbidden": _error("forbidden", "the token may upload, read and not decide"),
    "not_found": _error("not_found", "there is no run 7 in acme/support-bot"),
    "method_not_allowed": _error("method_not_allowed", "/api/v1/uploads does not take DELETE"),
    "payload_too_large": _error(
        "payload_too_large", "the request holds 99999999 bytes, the limit is 67108864"
    ),
    "pruned": _error("pruned", "the results of run 7 were deleted on 2026-10-01 for their age"),
    "idempotency_key_reused": _error(
        "idempotency_key_reused", "Idempotency-Key 'job-1' was used before for other files"
    ),
    "unreadable_report": _error(
        "unreadable_report",
        "this is an HTML page",
        file="junit.xml",
        details=[{"file": "junit.xml", "kind": "an HTML page", "error": "…", "line": None}],
    ),
    "verdict_failed": _error("verdict_failed", "the verdict is one that the caller named"),
    "rate_limited": _error(
        "rate_limited", "more than 600 requests came within a minute; send the next one in 1 s"
    ),
    "internal_error": _error("internal_error", "this is a mistake of the server"),
    "unavailable": _error("unavailable", "the database does not answer; try again later"),
    "unreadable_secret": _error(
        "unreadable_secret",
        "what is stored was sealed under a key that FIELD_KEYS does not hold; add that key again",
    ),
}
