-- A deleted source's references of deliveries are kept for a new source of its id, until their deliveries are deleted.
ALTER TABLE provider_references DROP CONSTRAINT provider_references_source_id_fkey;
-- The provider of a deleted source; null while the source is there.
ALTER TABLE provider_references ADD COLUMN provider text;
