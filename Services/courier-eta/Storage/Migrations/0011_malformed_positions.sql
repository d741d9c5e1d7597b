-- Positions of a phone that could not be read since it was enrolled, and when the last was noticed, to the minute.
ALTER TABLE phones
    ADD COLUMN malformed bigint NOT NULL DEFAULT 0,
    ADD COLUMN malformed_at timestamptz;
