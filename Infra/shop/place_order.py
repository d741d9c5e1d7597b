"""Places an order by a generated client, and reads each refusal as the type that its document describes."""

import os
from datetime import datetime, timedelta, timezone

from orders import AuthenticatedClient
from orders.api.orders import get_order, place_order
from orders.models import (
    OrderBody, PlaceOrderBody, PlaceOrderResponse400, PlaceOrderResponse401, PlaceOrderResponse409,
    PlaceOrderResponse422,
)

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
        "deliveries": [{"items": [{"id": "milk", "name": "Oat milk", "quantity": 2, "ifUnavailable": "ask"}]}],
    })


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
print("a generated client places an order, and reads four refusals by their types")
