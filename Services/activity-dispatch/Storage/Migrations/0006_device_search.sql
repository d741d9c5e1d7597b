-- Devices are found by the beginning of their id, in any case; the collation is that of bytes.
CREATE INDEX devices_by_beginning_of_id ON devices (lower(device_id) COLLATE "C");
