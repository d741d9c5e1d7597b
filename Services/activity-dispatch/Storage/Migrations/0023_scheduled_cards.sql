-- When the phone starts the card by itself, as its app has scheduled it; stays with a card that has started so.
ALTER TABLE cards ADD COLUMN scheduled_at timestamptz;
