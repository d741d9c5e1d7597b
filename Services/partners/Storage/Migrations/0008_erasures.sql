-- Since when a delivery is without its customer; what its provider still reports is kept without a body.
ALTER TABLE deliveries ADD COLUMN erased_at timestamptz;

-- The events of a delivery. IF NOT EXISTS: on a big table it may have been made before, CONCURRENTLY.
CREATE INDEX IF NOT EXISTS events_by_delivery ON events (delivery_id);
