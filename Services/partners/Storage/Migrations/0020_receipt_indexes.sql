-- The stores of the receipts that 0.29 inserted: those of their sources.
UPDATE receipts SET store_id = sources.store_id FROM sources
WHERE sources.source_id = receipts.source_id AND receipts.store_id IS NULL AND sources.store_id IS NOT NULL;

-- A store's list, and the receipts that an erasure reads for the names and ids in them. IF NOT EXISTS: on a big table
-- they may be created before, CONCURRENTLY.
CREATE INDEX IF NOT EXISTS receipts_of_store ON receipts (store_id, received_at DESC, receipt_id DESC);
CREATE INDEX IF NOT EXISTS receipts_without_delivery ON receipts (receipt_id) WHERE delivery_id IS NULL;
