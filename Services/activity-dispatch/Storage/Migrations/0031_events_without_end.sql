-- The newest events of cards without an end, which retention compares with the cards. IF NOT EXISTS: on a big table it
-- may be created before, CONCURRENTLY.
CREATE INDEX IF NOT EXISTS device_events_without_end ON device_events (card_id) WHERE dismissed_at IS NULL;
