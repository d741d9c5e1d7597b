-- What is known of a token's upload, as an object: its environment, when it was observed and uploaded, its generation.
-- Null, or of another value: of production, and older than any other.
ALTER TABLE cards ADD COLUMN update_token_origin jsonb;
ALTER TABLE devices ADD COLUMN push_to_start_token_origin jsonb;
-- The budget of priority 10 of all its cards; null before the first of them.
ALTER TABLE devices ADD COLUMN urgent_tokens double precision;
ALTER TABLE devices ADD COLUMN urgent_tokens_at timestamptz;
-- Starts that failed in a row, and when the next is tried.
ALTER TABLE devices ADD COLUMN start_attempts integer NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN start_retry_at timestamptz;
ALTER TABLE devices ADD COLUMN os_version text;
ALTER TABLE devices ADD COLUMN bundle_id text;
