-- The devices with a start token: one that registers it takes it from the others. IF NOT EXISTS: on a big table it may
-- be created before, CONCURRENTLY.
CREATE INDEX IF NOT EXISTS devices_by_start_token ON devices (push_to_start_token)
    WHERE push_to_start_token IS NOT NULL;
