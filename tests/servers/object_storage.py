"""An S3-compatible server on this machine, with one empty bucket."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from tests.servers.ports import LOOPBACK, free_port

BUCKET = "uploads"
# Any will do; a server that signs nothing still wants to see some.
KEYS = {
    "AWS_ACCESS_KEY_ID": "for-tests",
    "AWS_SECRET_ACCESS_KEY": "for-tests",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@contextmanager
def object_storage() -> Iterator[str]:
    """Run the server for the length of a block; yield its address."""
    from moto.server import ThreadedMotoServer

    port = free_port()
    server = ThreadedMotoServer(LOOPBACK, port, verbose=False)
    server.start()
    try:
        yield f"http://{LOOPBACK}:{port}"
    finally:
        server.stop()


def storage_url(endpoint: str) -> str:
    """Return the setting that leads to the bucket, made where it is missing."""
    import boto3

    os.environ |= KEYS
    boto3.client("s3", endpoint_url=endpoint).create_bucket(Bucket=BUCKET)
    return f"s3://{BUCKET}/raw?endpoint={endpoint}"
