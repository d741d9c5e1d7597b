-- When the state of a push became the wanted one, and why the push was leased later or at a lower priority: a code of
-- a card's reason, or budget. Null: from before, or neither.
ALTER TABLE pushes ADD COLUMN wanted_at timestamptz;
ALTER TABLE pushes ADD COLUMN delayed_by text;
-- The app's account of its owner's permission. Null: it sent none.
ALTER TABLE devices ADD COLUMN permission text;
-- When the delivery first ended, in domain time; a later version of the end, or a later episode, leaves it.
-- Null: it has not ended, or a former version of the service wrote the row.
ALTER TABLE activities ADD COLUMN first_end timestamptz;
CREATE INDEX activities_first_end ON activities (first_end, activity_id) WHERE first_end IS NOT NULL;
-- The versions, transport and permission of the card's device when the card started. Null: from before.
ALTER TABLE cards ADD COLUMN made_on jsonb;

-- Totals of the cards of ended deliveries, without persons, devices and deliveries: a row for each span in which they
-- ended, store, day of the store, and versions. Kept for 400 days. Domain time.
CREATE TABLE card_totals (
    -- The span in which the deliveries ended: an hour, or a day of UTC, which replaces its hours.
    span_start timestamptz NOT NULL,
    store_id text NOT NULL,
    -- The day in the store's time zone.
    day date NOT NULL,
    -- Empty: unknown, or a delivery without a card.
    app_version text NOT NULL,
    os_version text NOT NULL,
    transport text NOT NULL,
    store_name text NOT NULL,
    time_zone text NOT NULL,
    deliveries bigint NOT NULL,
    deliveries_with_card bigint NOT NULL,
    devices_allowed bigint NOT NULL,
    devices_not_asked bigint NOT NULL,
    devices_refused bigint NOT NULL,
    devices_switched_off bigint NOT NULL,
    devices_disallowed bigint NOT NULL,
    started bigint NOT NULL,
    cards bigint NOT NULL,
    starts bigint NOT NULL,
    -- Counts by duration, in the buckets of DurationHistogram.
    start_seconds bigint[] NOT NULL,
    changes bigint NOT NULL,
    change_seconds bigint[] NOT NULL,
    late_throttle bigint NOT NULL,
    late_budget bigint NOT NULL,
    late_offline bigint NOT NULL,
    late_no_token bigint NOT NULL,
    late_other bigint NOT NULL,
    swiped bigint NOT NULL,
    ends bigint NOT NULL,
    ends_on_time bigint NOT NULL,
    timed_cards bigint NOT NULL,
    screen_seconds bigint NOT NULL,
    PRIMARY KEY (span_start, store_id, day, app_version, os_version, transport)
);
CREATE INDEX card_totals_by_day ON card_totals (day, store_id);

-- How far the totals are counted: one row.
CREATE TABLE card_totals_progress (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    counted_until timestamptz NOT NULL,
    final_until timestamptz NOT NULL,
    -- The process that counts the next span, and wall time until which no other one does.
    leased_by uuid,
    leased_until timestamptz
);
