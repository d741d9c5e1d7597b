-- The newest revision that the card's app put on it itself, without a push.
ALTER TABLE cards ADD COLUMN updated_by_app jsonb;
