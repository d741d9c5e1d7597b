"""Places an order by a generated client, proves it with a photo, and reads each refusal as the type that its document
describes."""

import os
import struct
import zlib
from datetime import datetime, timedelta, timezone
from io import BytesIO

from orders import AuthenticatedClient
from orders.api.deliveries import assign_courier, get_image, give_image, set_delivery_status
from orders.api.orders import get_order, place_order
from orders.models import (
    AssignBody, CourierBody, DeliveryBody, GiveImageKind, GiveImageResponse422, OrderBody, PlaceOrderBody,
    PlaceOrderResponse400, PlaceOrderResponse401, PlaceOrderResponse409, PlaceOrderResponse422, StatusBody, StatusCode,
)
from orders.types import File

ADDRESS = os.environ["DOORSTEP_ORDERS_URL"]


def client(token):
    return AuthenticatedClient(base_url=ADDRESS, token=token, raise_on_unexpected_status=True)


def order(reference, hours=2, store="nordhavn"):
    start = datetime.now(timezone.utc) + timedelta(hours=hours)
    return PlaceOrderBody.from_dict({
        "reference": reference,
        "customer": "mette",
        "store": {
            "id": store, "name": "Nordhavn", "location": {"latitude": 55.7085, "longitude": 12.5942},
            "timeZone": "Europe/Copenhagen", "currency": "DKK",
        },
        "promise": {"start": start.isoformat(), "end": (start + timedelta(hours=1)).isoformat()},
        "door": {"latitude": 55.6916, "longitude": 12.5830},
        "requires": ["photo"],
        "deliveries": [{"items": [{"id": "milk", "name": "Oat milk", "quantity": 2, "ifUnavailable": "ask"}]}],
    })


def photo():
    """A PNG of eight grey pixels on a side."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + b"\x80" * 8 for _ in range(8))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)) \
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def check(answer, kind, problem=None):
    """Fails unless the answer is of a type, and a refusal of a type of problem."""
    assert isinstance(answer, kind), f"{kind.__name__} was expected, not {answer!r}"
    if problem is not None:
        assert answer.type_.value.endswith(f"/problems/{problem}"), answer.type_
    return answer


with open(os.environ["DOORSTEP_STORE_TOKEN_FILE"], encoding="utf-8") as file:
    shop = client(file.read().strip())

placed = check(place_order.sync(client=shop, idempotency_key="generated-1", body=order("P-1")), OrderBody)
assert check(get_order.sync(placed.id, client=shop), OrderBody).reference == "P-1"

delivery = placed.deliveries[0].id
jonas = AssignBody(courier=CourierBody(id="jonas", name="Jonas"))
check(assign_courier.sync(delivery, client=shop, body=jonas), DeliveryBody)
for status in (StatusCode.ACCEPTED, StatusCode.PICKING, StatusCode.STAGED, StatusCode.PICKED_UP):
    check(set_delivery_status.sync(delivery, client=shop, body=StatusBody(status=status)), DeliveryBody)
proven = check(
    give_image.sync(delivery, GiveImageKind.PHOTO, client=shop, body=File(payload=BytesIO(photo()))), DeliveryBody)
image = next(proof.image for proof in proven.proofs if proof.kind.value == "photo")
assert check(get_image.sync(delivery, image, client=shop), File).payload.read() == photo()
check(
    give_image.sync(delivery, GiveImageKind.PHOTO, client=shop, body=File(payload=BytesIO(b"<svg/>"))),
    GiveImageResponse422, "image-refused")

taken = check(
    place_order.sync(client=shop, idempotency_key="generated-2", body=order("P-1")), PlaceOrderResponse409,
    "reference-in-use")
assert taken.status.value == 409 and str(taken.order) == str(placed.id), taken
late = check(
    place_order.sync(client=shop, idempotency_key="generated-3", body=order("P-2", hours=-24)), PlaceOrderResponse400,
    "malformed")
assert [error.path for error in late.errors] == ["promise.end"], late.errors
check(
    place_order.sync(client=shop, idempotency_key="generated-4", body=order("P-3", store="valby")),
    PlaceOrderResponse422, "wrong-store")
check(
    place_order.sync(client=client("no-token"), idempotency_key="generated-5", body=order("P-4")),
    PlaceOrderResponse401, "unauthenticated")
print("a generated client places an order, keeps its photo, and reads five refusals by their types")
