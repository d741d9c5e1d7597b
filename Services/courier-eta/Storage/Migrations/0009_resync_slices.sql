-- What is republished, by the hash of its id and then by its end: what is live comes last. The number of slices is that
-- of RepublishSlice. IF NOT EXISTS: on a big table it may have been made before, CONCURRENTLY.
CREATE INDEX IF NOT EXISTS deliveries_by_slice
    ON deliveries ((hashtext(delivery_id) & 127), (coalesce(ended_at, 'infinity')), delivery_id);
