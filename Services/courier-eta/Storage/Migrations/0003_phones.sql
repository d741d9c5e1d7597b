-- Phones that may send fixes, when a courier is on duty, and which phone a fix came from.

CREATE TABLE phones (
    -- Begins with the time of enrolment, so that the newest is the last in order.
    phone_id text PRIMARY KEY,
    courier_id text NOT NULL,
    -- What it was set up for; the token is good for every app.
    app text,
    -- What people call the phone.
    label text,
    -- SHA-256 of the token, which has 128 random bits; the token itself is nowhere.
    token_hash bytea NOT NULL UNIQUE,
    enrolled_at timestamptz NOT NULL,
    enrolled_by text NOT NULL,
    revoked_at timestamptz,
    revoked_by text,
    -- To the minute.
    last_heard_at timestamptz
);

CREATE INDEX phones_by_courier ON phones (courier_id);
CREATE INDEX phones_revoked_by_time ON phones (revoked_at) WHERE revoked_at IS NOT NULL;

-- What a courier or an operator said about when the courier works; deliveries say the rest.
CREATE TABLE duties (
    courier_id text NOT NULL,
    began_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    said_by text NOT NULL,
    PRIMARY KEY (courier_id, began_at),
    CHECK (ended_at >= began_at)
);

CREATE INDEX duties_by_end ON duties (ended_at);

-- Since when the delivery is its courier's; unknown for those from before this migration.
ALTER TABLE deliveries ADD COLUMN courier_since timestamptz;
-- Rises with every change of the row, so that a process knows whether what it remembers still holds.
ALTER TABLE deliveries ADD COLUMN revision bigint NOT NULL DEFAULT 0;

CREATE INDEX deliveries_ended_by_courier ON deliveries (courier_id, ended_at) WHERE ended_at IS NOT NULL;

-- A track is made from the newest fixes when it is asked for, so it is not kept as well.
ALTER TABLE couriers DROP COLUMN track;
ALTER TABLE couriers ADD COLUMN revision bigint NOT NULL DEFAULT 0;

-- Empty for a courier's own app.
ALTER TABLE fixes ADD COLUMN phone_id text NOT NULL DEFAULT '';
ALTER TABLE fixes DROP CONSTRAINT fixes_pkey;
ALTER TABLE fixes ADD PRIMARY KEY (courier_id, fixed_at, phone_id);
