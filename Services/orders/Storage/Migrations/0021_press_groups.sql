-- The presses that a courier made at once, which are undone together; NULL for a press about one delivery.
ALTER TABLE courier_presses ADD COLUMN group_id uuid;

CREATE INDEX courier_presses_by_group ON courier_presses (group_id) WHERE group_id IS NOT NULL;
