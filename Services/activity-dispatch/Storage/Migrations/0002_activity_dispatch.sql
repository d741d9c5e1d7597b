-- Times are domain time unless they say wall.

-- A row per customer, locked by whoever changes what the customer should see or where.
CREATE TABLE customers (
    customer_id text PRIMARY KEY,
    -- Counts the customer's summaries; 0 before the first.
    summary_episode integer NOT NULL DEFAULT 0
);

-- The wanted state. The row of an ended activity stays for 14 days as its tombstone: a late intent finds it and loses.
CREATE TABLE activities (
    activity_id text PRIMARY KEY,
    customer_id text NOT NULL REFERENCES customers,
    -- Null on a summary.
    delivery_id text,
    wanted jsonb NOT NULL,
    is_ended boolean NOT NULL,
    version bigint NOT NULL,
    step bigint NOT NULL,
    wanted_at timestamptz NOT NULL
);
CREATE INDEX activities_live_by_customer ON activities (customer_id) WHERE NOT is_ended;
CREATE INDEX activities_by_delivery ON activities (delivery_id);
CREATE INDEX activities_ended ON activities (wanted_at) WHERE is_ended;

-- A device's row is the lock of its cards: whoever changes one holds it.
CREATE TABLE devices (
    device_id text PRIMARY KEY,
    customer_id text NOT NULL REFERENCES customers,
    transport text NOT NULL CHECK (transport IN ('stream', 'apns')),
    locale text NOT NULL,
    time_zone text NOT NULL,
    is_enabled boolean NOT NULL,
    allows_frequent_pushes boolean NOT NULL,
    app_version text,
    push_to_start_token text,
    registered_at timestamptz NOT NULL,
    start_tokens double precision NOT NULL,
    start_tokens_at timestamptz NOT NULL,
    -- The newest id of the device's stream.
    last_sequence bigint NOT NULL DEFAULT 0,
    -- When one of its cards is next to be looked at; null until something changes.
    due_at timestamptz
) WITH (fillfactor = 70);
CREATE INDEX devices_due ON devices (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX devices_by_customer ON devices (customer_id);

CREATE TABLE cards (
    card_id uuid PRIMARY KEY,
    -- Orders the cards of a device.
    number bigint GENERATED ALWAYS AS IDENTITY,
    activity_id text NOT NULL REFERENCES activities ON DELETE CASCADE,
    device_id text NOT NULL REFERENCES devices ON DELETE CASCADE,
    replaces uuid,
    state text NOT NULL CHECK (
        state IN ('waiting', 'starting', 'active', 'ended', 'dismissed', 'swiped', 'replaced', 'signed_out', 'lost')),
    sent jsonb,
    last_timestamp bigint NOT NULL,
    last_push_at timestamptz,
    shown_timestamp bigint,
    alerted_ids jsonb NOT NULL,
    started_at timestamptz,
    dismissed_at timestamptz,
    attempts integer NOT NULL,
    retry_at timestamptz,
    refreshed jsonb,
    urgent_tokens double precision NOT NULL,
    urgent_tokens_at timestamptz NOT NULL,
    -- Rises with each push; the result of an older one changes nothing.
    fence bigint NOT NULL,
    update_token text,
    must_end boolean NOT NULL,
    -- Wall time until which a push is on its way and nobody else sends one.
    leased_until timestamptz,
    -- Why it does not show the wanted state, or why nothing is to do.
    reason text,
    -- Since when it has not shown what it should; null while it does.
    behind_since timestamptz
) WITH (fillfactor = 70);
CREATE INDEX cards_open_by_device ON cards (device_id) WHERE state IN ('waiting', 'starting', 'active', 'ended');
CREATE INDEX cards_by_device ON cards (device_id, activity_id);
CREATE INDEX cards_by_activity ON cards (activity_id);
CREATE INDEX cards_behind ON cards (behind_since) WHERE behind_since IS NOT NULL;

-- The ledger: every push that was leased, and what became of it. Kept for 30 days.
CREATE TABLE pushes (
    push_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    card_id uuid NOT NULL,
    device_id text NOT NULL,
    activity_id text NOT NULL,
    event text NOT NULL,
    priority integer NOT NULL,
    timestamp bigint NOT NULL,
    version bigint NOT NULL,
    step bigint NOT NULL,
    alert_id text,
    fence bigint NOT NULL,
    leased_at timestamptz NOT NULL,
    -- Null while nobody knows.
    result text,
    UNIQUE (card_id, fence)
);
CREATE INDEX pushes_by_activity ON pushes (activity_id, push_id);
CREATE INDEX pushes_by_age ON pushes (leased_at);

-- What a device reads as its stream: the newest push of each card, until a day after its dismissal.
CREATE TABLE device_events (
    device_id text NOT NULL REFERENCES devices ON DELETE CASCADE,
    card_id uuid NOT NULL REFERENCES cards ON DELETE CASCADE,
    -- The id of the event; rises per device and is never used twice.
    sequence bigint NOT NULL,
    -- The id of the card's start: a reader that is not past it has never seen the card.
    start_sequence bigint NOT NULL,
    is_end boolean NOT NULL,
    data text NOT NULL,
    -- The same state as a start, for a reader that has never seen the card; its id is the start's.
    start_data text NOT NULL,
    dismissed_at timestamptz,
    PRIMARY KEY (device_id, card_id)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX device_events_after ON device_events (device_id, sequence);
CREATE INDEX device_events_dismissed ON device_events (dismissed_at) WHERE dismissed_at IS NOT NULL;

-- How a delivery's cards are, as last told to whoever lists deliveries.
CREATE TABLE card_health (
    delivery_id text PRIMARY KEY,
    sequence bigint NOT NULL,
    cards integer NOT NULL,
    behind integer NOT NULL,
    reason text,
    changed_at timestamptz NOT NULL
);

-- What operators did by hand, and why.
CREATE TABLE overrides (
    override_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    activity_id text NOT NULL,
    device_id text,
    verb text NOT NULL,
    reason text NOT NULL,
    operator text NOT NULL,
    at timestamptz NOT NULL
);
CREATE INDEX overrides_by_activity ON overrides (activity_id);
