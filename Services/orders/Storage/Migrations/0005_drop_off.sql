-- What a courier needs at the door beside its place: who opens, the address, the note. Personal data, so it is not in the
-- snapshot, which leaves the service, and is set to NULL 30 days after the delivery's end.
ALTER TABLE deliveries ADD COLUMN drop_off jsonb;

CREATE INDEX deliveries_drop_off_by_end ON deliveries (ended_at) WHERE drop_off IS NOT NULL AND ended_at IS NOT NULL;

-- Whether a reference is in use at a store.
CREATE INDEX orders_by_store_reference ON orders (store_id, reference);
