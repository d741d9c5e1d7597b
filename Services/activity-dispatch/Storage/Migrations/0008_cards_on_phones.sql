-- What an app knows a card by, and the newest revision that it reported as shown.
ALTER TABLE cards ADD COLUMN instance text;
ALTER TABLE cards ADD COLUMN shown jsonb;
-- The newest push, while that has no result.
ALTER TABLE cards ADD COLUMN in_flight jsonb;
-- Why the app could not start a card, and until when that is waited for.
ALTER TABLE devices ADD COLUMN start_failure jsonb;
