-- Stores' names, colours, contacts and words for their customers, one document a store; the bytes of the logo apart
-- from it, since pages read the document and not the logo.
CREATE TABLE store_faces (
    store_id text PRIMARY KEY,
    version integer NOT NULL,
    face jsonb NOT NULL,
    logo bytea,
    changed_at timestamptz NOT NULL,
    changed_by text NOT NULL
);

-- Out of the row in chunks, as they are: images are compressed already.
ALTER TABLE store_faces ALTER COLUMN logo SET STORAGE EXTERNAL;
