"""Signs and verifies webhooks by libraries that are not Doorstep's: a JSON object a line in, one a line out."""
import base64
import json
import sys
from datetime import datetime, timezone

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from openai import InvalidWebhookSignatureError, OpenAI
from standardwebhooks import Webhook, WebhookVerificationError


def ed25519_content(case):
    return f'{case["id"]}.{case["timestamp"]}.'.encode() + case["body"].encode()


def verify(case):
    headers = {
        "webhook-id": case["id"],
        "webhook-timestamp": case["timestamp"],
        "webhook-signature": case["signature"],
    }
    found = {}
    if case["key"].startswith("whpk_"):
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(case["key"][5:]))
        found["cryptography"] = False
        for one in case["signature"].split(" "):
            version, text = one.split(",")
            if version != "v1a":
                continue
            try:
                key.verify(base64.b64decode(text), ed25519_content(case))
                found["cryptography"] = True
            except InvalidSignature:
                pass
        return found
    try:
        Webhook(case["key"]).verify(case["body"], headers, json_parse=False)
        found["standardwebhooks"] = True
    except WebhookVerificationError:
        found["standardwebhooks"] = False
    try:
        client = OpenAI(api_key="none", webhook_secret=case["key"])
        client.webhooks.verify_signature(case["body"], headers)
        found["openai"] = True
    except (InvalidWebhookSignatureError, ValueError):
        found["openai"] = False
    return found


def sign(case):
    if case["key"].startswith("whsk_"):
        key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(case["key"][5:])[:32])
        return {"signature": "v1a," + base64.b64encode(key.sign(ed25519_content(case))).decode()}
    moment = datetime.fromtimestamp(int(case["timestamp"]), tz=timezone.utc)
    return {"signature": Webhook(case["key"]).sign(case["id"], moment, case["body"])}


for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps(verify(case) if case["do"] == "verify" else sign(case)), flush=True)
