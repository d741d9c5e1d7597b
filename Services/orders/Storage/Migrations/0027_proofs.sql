-- The PINs that customers give at their doors, sealed with the keys of pins.keys.file: apart from the snapshots, which
-- leave the service.
CREATE TABLE delivery_pins (
    delivery_id text PRIMARY KEY REFERENCES deliveries ON DELETE CASCADE,
    sealed text NOT NULL
);

-- Since when a person has to decide about a missing proof; NULL without one.
ALTER TABLE deliveries ADD COLUMN undecided_since timestamptz;
