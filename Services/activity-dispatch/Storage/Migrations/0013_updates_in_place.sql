-- What changes with every push is in no index, so that such rows are updated in place.

-- When the activity ended, which does not change while it is live as wanted_at does.
ALTER TABLE activities
    ADD COLUMN ended_at timestamptz GENERATED ALWAYS AS (CASE WHEN is_ended THEN wanted_at END) STORED;
DROP INDEX activities_ended;
CREATE INDEX activities_ended ON activities (ended_at) WHERE is_ended;
ALTER TABLE activities SET (fillfactor = 70);

-- A device has few events, which its primary key finds.
DROP INDEX device_events_after;
-- A card that is deleted takes its event with it.
CREATE INDEX device_events_by_card ON device_events (card_id);
