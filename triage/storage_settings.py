"""Where raw uploads are kept, as Django takes it, from one URL."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

S3_SCHEME = "s3"
S3_PARAMETERS = frozenset({"endpoint", "region"})
CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 30
TRIES = 3


def storage_address(value: str) -> str:
    """Return the URL of an object storage, or raise ``ValueError`` saying what is wrong with it."""
    if not value:
        return value
    url = urlsplit(value)
    if url.scheme != S3_SCHEME or not url.hostname:
        raise ValueError("must be s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME], or unset")
    if "@" in url.netloc:
        raise ValueError("must hold no key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    unknown = set(parse_qs(url.query)) - S3_PARAMETERS
    if unknown:
        raise ValueError(f"must have no parameter but endpoint and region, got {sorted(unknown)}")
    if find_spec("storages") is None or find_spec("boto3") is None:
        raise ValueError("needs the extra s3: pip install 'tiebreak[s3]'")
    return value


def upload_storage_settings(address: str, folder: Path) -> dict[str, Any]:
    """Return the entry of ``STORAGES`` for an object storage, or for a folder where none is set."""
    if not address:
        return {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": folder},
        }
    url = urlsplit(address)
    told = {name: values[-1] for name, values in parse_qs(url.query).items()}
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": url.netloc,
            "location": url.path.strip("/"),
            "endpoint_url": told.get("endpoint"),
            "region_name": told.get("region"),
            "client_config": _client_config(has_endpoint="endpoint" in told),
            # Names are digests of what they name: writing one again writes the same.
            "file_overwrite": True,
            "default_acl": None,
        },
    }


def _client_config(*, has_endpoint: bool) -> Any:
    from botocore.config import Config

    return Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=READ_TIMEOUT_S,
        retries={"total_max_attempts": TRIES, "mode": "standard"},
        # Other servers than Amazon's have no host name per bucket.
        s3={"addressing_style": "path" if has_endpoint else "auto"},
    )
