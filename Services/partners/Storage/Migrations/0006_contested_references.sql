-- Whether deliveries of two stores were given this reference: what is reported under it waits for a person.
ALTER TABLE provider_references ADD COLUMN is_contested boolean NOT NULL DEFAULT false;
