-- The learned legs of a courier, whose number an erasure replaces. IF NOT EXISTS: on a big table it is made beforehand,
-- with CREATE INDEX CONCURRENTLY.
CREATE INDEX IF NOT EXISTS completed_legs_by_courier ON completed_legs (((leg->>'courier')::bigint));
