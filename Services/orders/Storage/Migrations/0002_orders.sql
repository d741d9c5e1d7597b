-- Orders and their deliveries. The delivery's whole snapshot is one document; the columns beside it are what lists
-- and locks need, and repeat the domain's invariants.

CREATE TABLE orders (
    order_id text PRIMARY KEY,
    reference text NOT NULL,
    customer_id text NOT NULL,
    store_id text NOT NULL,
    placed_at timestamptz NOT NULL,
    snapshot jsonb NOT NULL
);

CREATE TABLE deliveries (
    delivery_id text PRIMARY KEY,
    order_id text NOT NULL REFERENCES orders,
    bag_number integer NOT NULL CHECK (bag_number >= 1),
    customer_id text NOT NULL,
    store_id text NOT NULL,
    courier_id text,
    status text NOT NULL,
    courier_status text,
    flags text[] NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    promise_end timestamptz NOT NULL,
    ended_at timestamptz,
    snapshot jsonb NOT NULL,
    -- What courier-eta last said.
    estimate_version integer,
    estimate_step integer,
    arrives_at timestamptz,
    estimate jsonb,
    -- What activity-dispatch last said.
    cards_sequence bigint,
    cards_count integer,
    cards_behind integer,
    cards_reason text,
    CHECK ((ended_at IS NOT NULL) = (status IN ('delivered', 'returned', 'cancelled', 'failed'))),
    CHECK ((courier_status IS NOT NULL) = (status IN ('placed', 'accepted', 'picking', 'staged')))
);

CREATE INDEX deliveries_by_order ON deliveries (order_id, bag_number);
CREATE INDEX deliveries_live_by_promise ON deliveries (promise_end, delivery_id) WHERE ended_at IS NULL;
CREATE INDEX deliveries_ended_by_end ON deliveries (ended_at, delivery_id) WHERE ended_at IS NOT NULL;
CREATE INDEX deliveries_by_customer ON deliveries (customer_id);
CREATE INDEX deliveries_live_by_courier ON deliveries (courier_id) WHERE ended_at IS NULL;

-- Couriers that were ever assigned, so that they can be named by their id alone.
CREATE TABLE couriers (
    courier_id text PRIMARY KEY,
    snapshot jsonb NOT NULL
);

CREATE TABLE timeline (
    timeline_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    delivery_id text NOT NULL REFERENCES deliveries,
    at timestamptz NOT NULL,
    version integer NOT NULL,
    kind text NOT NULL,
    what text NOT NULL,
    changed_by text NOT NULL,
    reason text,
    -- Wall time, for retention; what happened when is domain time above.
    recorded_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX timeline_by_delivery ON timeline (delivery_id, timeline_id);
CREATE INDEX timeline_by_age ON timeline (recorded_at);

-- An answer is kept with its request, so that a repeat gets the same one. Wall time.
CREATE TABLE idempotency_keys (
    principal text NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    status integer NOT NULL,
    body bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (principal, route, key)
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- The first answer of each pressed link, by the link's SHA-256: the link itself is a secret.
CREATE TABLE link_presses (
    link_hash bytea PRIMARY KEY,
    delivery_id text NOT NULL REFERENCES deliveries,
    status integer NOT NULL,
    body bytea NOT NULL,
    pressed_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX link_presses_by_age ON link_presses (pressed_at);
