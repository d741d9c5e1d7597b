-- Reports of couriers by sources of CloudEvents, which are the shop's own system without any. IF NOT EXISTS: on a big table
-- it may be created before, CONCURRENTLY.
CREATE INDEX IF NOT EXISTS receipts_of_couriers ON receipts (source_id)
    WHERE report->>'source' = 'cloudevents'
        AND (report->'courier' IS NOT NULL OR report->>'status' IN ('assigned', 'to_store', 'at_store'));
