-- Photos and signatures of hand-overs, sealed with the keys of pins.keys.file: apart from the snapshots, which name
-- them by the hash of their content.
CREATE TABLE proof_images (
    delivery_id text NOT NULL REFERENCES deliveries ON DELETE CASCADE,
    content_hash text NOT NULL,
    format text NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (delivery_id, content_hash)
);

-- Out of the row in chunks, as they are: what is encrypted cannot be compressed.
ALTER TABLE proof_images ALTER COLUMN sealed SET STORAGE EXTERNAL;
