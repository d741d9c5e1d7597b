-- Whether a device's stream is open, and when it last was. Has no reference to devices, whose rows are locked often.
CREATE TABLE device_connections (
    device_id text PRIMARY KEY,
    -- The stream that was opened last: what an older one says later changes nothing.
    stream_id uuid NOT NULL,
    -- Domain time up to which the device is known to have been connected.
    seen_at timestamptz NOT NULL,
    -- Wall time up to which the stream is taken to be open; a process that dies renews it no more.
    open_until timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX device_connections_by_time ON device_connections (seen_at);
