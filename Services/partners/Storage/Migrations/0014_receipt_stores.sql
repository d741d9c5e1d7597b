-- The only store of the source when the receipt was received, empty for every store; null in rows that 0.29 inserted, whose
-- store is the source's present one.
ALTER TABLE receipts ADD COLUMN store_id text;
