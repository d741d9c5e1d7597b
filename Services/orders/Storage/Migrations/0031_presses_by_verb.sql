-- The verb of a pressed link and when it was pressed in domain time, for the report of a day. Null: from before.
ALTER TABLE link_presses ADD COLUMN verb text;
ALTER TABLE link_presses ADD COLUMN at timestamptz;
CREATE INDEX link_presses_by_time ON link_presses (at, link_hash) WHERE verb IS NOT NULL;
