-- The snapshot's store, which stays the same: with a part of the snapshot in an index no change would be made in place.
ALTER TABLE deliveries
    ADD COLUMN store_id text GENERATED ALWAYS AS (snapshot->'delivery'->'store'->>'id') STORED;
CREATE INDEX deliveries_by_courier ON deliveries (courier_id) WHERE courier_id IS NOT NULL;
CREATE INDEX deliveries_by_store ON deliveries (store_id, courier_id) WHERE courier_id IS NOT NULL;
