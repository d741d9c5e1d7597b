-- The end of the arrival, epoch seconds, in the newest push at priority 10: how far it has crept since is measured from it.
-- Null: without an arrival, or from before.
ALTER TABLE cards ADD COLUMN urgent_arrival bigint;
-- The size of the attributes that the card was started with. Null: not known, or from before.
ALTER TABLE cards ADD COLUMN attributes_bytes integer;
-- The state of which no payload can be made that a phone takes, and why; null while there is none.
ALTER TABLE cards ADD COLUMN unfit jsonb;
-- What the push rendered, as JSON without links, alert and texts that follow from a code. Null: from before.
ALTER TABLE pushes ADD COLUMN rendered text;
