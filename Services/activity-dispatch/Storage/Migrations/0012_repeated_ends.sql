-- When the end of a card is sent once more, since nobody has said that it arrived. Null: it is not.
ALTER TABLE cards ADD COLUMN end_repeat_at timestamptz;
CREATE INDEX cards_end_repeated_by_device ON cards (device_id)
    WHERE end_repeat_at IS NOT NULL AND state IN ('dismissed', 'replaced', 'signed_out');
