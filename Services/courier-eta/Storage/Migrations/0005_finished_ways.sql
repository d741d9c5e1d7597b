-- What ended deliveries teach about how couriers travel, reduced so far that it may be kept longer than positions.

-- Ways from the last stop to a door: metres from that door and seconds from the beginning. No delivery, no courier but
-- a number, no place on earth; nothing here refers to another table.
CREATE TABLE finished_ways (
    finished_way_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Of the delivery's end, UTC.
    finished_on date NOT NULL,
    -- Of the document; a program passes over formats that it does not know.
    format integer NOT NULL CHECK (format >= 1),
    way jsonb NOT NULL
);

CREATE INDEX finished_ways_by_day ON finished_ways (finished_on);

-- How long couriers stayed at doors and at stores.
CREATE TABLE finished_stays (
    finished_stay_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    finished_on date NOT NULL,
    kind text NOT NULL CHECK (kind IN ('door', 'store')),
    store_id text CHECK ((store_id IS NOT NULL) = (kind = 'store')),
    seconds double precision NOT NULL CHECK (seconds >= 0)
);

CREATE INDEX finished_stays_by_day ON finished_stays (finished_on);

-- Whether an ended delivery has been reduced already.
ALTER TABLE deliveries ADD COLUMN is_reduced boolean NOT NULL DEFAULT false;

CREATE INDEX deliveries_to_reduce ON deliveries (ended_at) WHERE ended_at IS NOT NULL AND NOT is_reduced;
