-- The store of an activity, and the store that a device is registered for, so that a token restricted to one store
-- shows nothing of another. Null: a summary, or not known yet; a device that shows all of its customer's.
ALTER TABLE activities ADD COLUMN store_id text;
ALTER TABLE devices ADD COLUMN store_id text;
