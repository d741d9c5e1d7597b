-- The newest fix of the phone that the courier carries, at most five seconds behind it, for customers' maps.
ALTER TABLE couriers
    ADD COLUMN seen_at timestamptz,
    ADD COLUMN seen_latitude double precision CHECK (seen_latitude BETWEEN -90 AND 90),
    ADD COLUMN seen_longitude double precision CHECK (seen_longitude BETWEEN -180 AND 180);

-- Couriers whom no customer's map shows.
CREATE TABLE map_exemptions (
    courier_id text PRIMARY KEY,
    since timestamptz NOT NULL,
    reported_by text NOT NULL
);
