-- What providers send in, and what is sent to shops. Times are domain time but for leases, which are the database's.

CREATE TABLE sources (
    source_id text PRIMARY KEY,
    provider text NOT NULL,
    name text,
    -- Null for every store.
    store_id text,
    accepts_test boolean NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE source_secrets (
    source_secret_id text PRIMARY KEY,
    -- Rises: of two that were added at one moment the second has the higher one.
    number bigint GENERATED ALWAYS AS IDENTITY,
    source_id text NOT NULL REFERENCES sources ON DELETE CASCADE,
    -- Encrypted, with the source's id authenticated beside.
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX source_secrets_by_source ON source_secrets (source_id);

-- Every delivery that orders has told of, for whose it is; and, where somebody subscribes, the version and status that
-- events were made of.
CREATE TABLE deliveries (
    delivery_id text PRIMARY KEY,
    store_id text NOT NULL,
    -- The newest that was heard of, and the newest that events were made of.
    seen_version integer NOT NULL,
    version integer,
    status text,
    courier_status text,
    -- Versions whose events one that was republished stands for: those after the first, up to the second.
    summarised_after integer,
    summarised_to integer,
    ended_at timestamptz,
    seen_at timestamptz NOT NULL
);
CREATE INDEX deliveries_by_age ON deliveries (seen_at);

-- What a provider calls a delivery.
CREATE TABLE provider_references (
    source_id text NOT NULL REFERENCES sources ON DELETE CASCADE,
    reference text NOT NULL,
    delivery_id text NOT NULL,
    -- The only store whose delivery it may be, as whoever set it may see no other; null for every store.
    store_id text,
    set_at timestamptz NOT NULL,
    PRIMARY KEY (source_id, reference)
);
CREATE INDEX provider_references_by_delivery ON provider_references (delivery_id);
CREATE INDEX provider_references_by_age ON provider_references (set_at);

-- What was received, an event a row.
CREATE TABLE receipts (
    receipt_id uuid PRIMARY KEY,
    source_id text NOT NULL,
    event_key text NOT NULL,
    kind text NOT NULL,
    delivery_names text[] NOT NULL,
    state text NOT NULL CHECK (state IN ('applied', 'waiting', 'quarantined', 'unreadable', 'dismissed')),
    is_known boolean NOT NULL,
    delivery_id text,
    -- What it says in our terms; null where it says nothing that concerns a delivery.
    report jsonb,
    received_at timestamptz NOT NULL,
    -- As it was received; null where another receipt of the same webhook has it.
    body bytea,
    body_of uuid,
    -- Of one that is dismissed: by whom, when and why.
    dismissed_by text,
    dismissed_at timestamptz,
    dismissed_reason text,
    UNIQUE (source_id, event_key),
    CHECK (num_nonnulls(dismissed_by, dismissed_at, dismissed_reason) = CASE state WHEN 'dismissed' THEN 3 ELSE 0 END)
);
CREATE INDEX receipts_by_body ON receipts (body_of) WHERE body_of IS NOT NULL;
CREATE INDEX receipts_by_delivery ON receipts (delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX receipts_newest ON receipts (received_at DESC, receipt_id);
CREATE INDEX receipts_for_people ON receipts (received_at DESC, receipt_id)
    WHERE state <> 'dismissed' AND (state <> 'applied' OR NOT is_known);
CREATE INDEX receipts_waiting ON receipts USING gin (delivery_names) WHERE state = 'waiting';

-- How many reports each delivery has, which its reader is asked about.
CREATE TABLE reported_deliveries (
    delivery_id text PRIMARY KEY,
    reports integer NOT NULL,
    ended_at timestamptz
);
CREATE INDEX reported_deliveries_by_slice ON reported_deliveries
    ((hashtext(delivery_id) & 127), (coalesce(ended_at, 'infinity')), delivery_id);

-- Addresses that events are sent to.
CREATE TABLE endpoints (
    endpoint_id text PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('webhook', 'listener')),
    url text NOT NULL,
    -- Empty for every event.
    types text[] NOT NULL,
    store_id text,
    description text,
    signature text NOT NULL,
    failing_since timestamptz,
    failed_at timestamptz,
    failures integer NOT NULL DEFAULT 0,
    paused_until timestamptz,
    disabled text CHECK (disabled IN ('gone', 'failing', 'asked')),
    created_at timestamptz NOT NULL,
    -- Of one that is no more, and whose rows are deleted part by part.
    removed_at timestamptz,
    -- Of a listener: the database's time until which its stream counts as open.
    open_until timestamptz NOT NULL DEFAULT clock_timestamp() + interval '60 s'
);

CREATE TABLE endpoint_secrets (
    endpoint_secret_id uuid PRIMARY KEY,
    endpoint_id text NOT NULL REFERENCES endpoints ON DELETE CASCADE,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- Null for the present one.
    expires_at timestamptz
);
CREATE INDEX endpoint_secrets_by_endpoint ON endpoint_secrets (endpoint_id);

-- Events, each with the body that every receiver gets.
CREATE TABLE events (
    event_id text PRIMARY KEY,
    type text NOT NULL,
    delivery_id text NOT NULL,
    store_id text NOT NULL,
    version integer NOT NULL,
    occurred_at timestamptz NOT NULL,
    body bytea NOT NULL,
    is_test boolean NOT NULL
);
CREATE INDEX events_by_time ON events (occurred_at, event_id);

-- An event on its way to an endpoint, and afterwards what became of it.
CREATE TABLE event_deliveries (
    event_delivery_id bigint GENERATED ALWAYS AS IDENTITY,
    endpoint_id text NOT NULL REFERENCES endpoints ON DELETE CASCADE,
    event_id text NOT NULL,
    is_replay boolean NOT NULL,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL,
    -- Nobody else takes it before, and whose it is meanwhile.
    leased_until timestamptz NOT NULL DEFAULT '-infinity',
    lease uuid,
    last_status integer,
    last_error text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (endpoint_id, event_delivery_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE UNIQUE INDEX event_deliveries_once ON event_deliveries (endpoint_id, event_id) WHERE NOT is_replay;
CREATE INDEX event_deliveries_replays ON event_deliveries (endpoint_id, event_id) WHERE is_replay;
CREATE INDEX event_deliveries_due ON event_deliveries (endpoint_id, is_replay, due_at, event_delivery_id)
    WHERE state = 'waiting';
CREATE INDEX event_deliveries_failed ON event_deliveries (endpoint_id, event_delivery_id) WHERE state = 'failed';
CREATE INDEX event_deliveries_by_age ON event_deliveries (created_at);

-- Each attempt, with what was answered.
CREATE TABLE attempts (
    attempt_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    endpoint_id text NOT NULL REFERENCES endpoints ON DELETE CASCADE,
    event_id text NOT NULL,
    at timestamptz NOT NULL,
    milliseconds integer NOT NULL,
    status integer,
    error text,
    answer text
);
CREATE INDEX attempts_by_event ON attempts (endpoint_id, event_id, attempt_id);
CREATE INDEX attempts_by_age ON attempts (at);
