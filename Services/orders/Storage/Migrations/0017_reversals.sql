-- What a change replaced, by which every version of a delivery is found from the newest one: for readers that missed its
-- message. Rows of earlier releases, and of what changed no version, have none.
ALTER TABLE timeline ADD COLUMN reversal jsonb;
