-- When a courier was last described, domain time; NULL for one of before. Retention forgets who had no delivery since, and
-- none in the 90 days before.
ALTER TABLE couriers ADD COLUMN described_at timestamptz;
ALTER TABLE store_couriers ADD COLUMN described_at timestamptz;

-- The last deliveries of a courier.
CREATE INDEX IF NOT EXISTS deliveries_by_courier ON deliveries (courier_id) WHERE courier_id IS NOT NULL;
