-- References of another store's deliveries than the source's: it could not report on those, and they kept the reference
-- from the right delivery.
DELETE FROM provider_references AS held USING sources, deliveries
WHERE sources.source_id = held.source_id AND deliveries.delivery_id = held.delivery_id
    AND deliveries.store_id <> sources.store_id;

-- When an endpoint got its present address, or was enabled last: earlier attempts count for nothing. Null for never.
ALTER TABLE endpoints ADD COLUMN counts_from timestamptz;
