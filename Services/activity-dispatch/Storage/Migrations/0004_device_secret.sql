-- The SHA-256 of a device's secret. Null: the device has not registered since devices have secrets.
ALTER TABLE devices ADD COLUMN secret_hash bytea;
