"""Exits 0 if the body on standard input was signed with WEBHOOK_SECRET (whsec_…) in the last five minutes, else 1.

    verify.py WEBHOOK_ID WEBHOOK_TIMESTAMP WEBHOOK_SIGNATURE < body
"""

import base64
import hashlib
import hmac
import os
import sys
import time

TOLERANCE = 300


def verify(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Takes the body as it was received: parsed and written again, it has another signature."""
    identifier, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{identifier}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    # While one secret replaces another there are several signatures.
    signatures = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(expected.encode(), signature.encode()) for signature in signatures)


if __name__ == "__main__":
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    arguments = dict(zip(names, sys.argv[1:], strict=True))
    sys.exit(0 if verify(os.environ["WEBHOOK_SECRET"], arguments, sys.stdin.buffer.read()) else 1)
