-- A deleted source's references of deliveries are kept for a new source of its id and provider, until their deliveries
-- are deleted.
ALTER TABLE provider_references DROP CONSTRAINT provider_references_source_id_fkey;
-- The source's provider; null in a row of a replica of 0.29.
ALTER TABLE provider_references ADD COLUMN provider text;
UPDATE provider_references SET provider = sources.provider FROM sources
WHERE sources.source_id = provider_references.source_id;
