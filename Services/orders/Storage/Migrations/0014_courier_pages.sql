-- Which links to a courier's own page are good: those of this number. Revoking them counts it up.
CREATE TABLE courier_links (
    courier_id text PRIMARY KEY,
    number integer NOT NULL CHECK (number >= 1)
);

-- What couriers pressed on their pages; a press waits until it can no longer be undone, and is carried out then.
-- Domain time.
CREATE TABLE courier_presses (
    -- The page's own, so that a press that is sent again is the same.
    press_id uuid PRIMARY KEY,
    courier_id text NOT NULL,
    delivery_id text NOT NULL REFERENCES deliveries ON DELETE CASCADE,
    action text NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'done', 'undone', 'refused')),
    pressed_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL
);

CREATE INDEX courier_presses_by_delivery ON courier_presses (delivery_id, pressed_at);
CREATE INDEX courier_presses_by_courier ON courier_presses (courier_id, pressed_at);
