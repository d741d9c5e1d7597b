-- Since when a delivery has a pseudonym in the place of a courier; while it is ended, what its provider still reports is
-- kept without the webhook's body, and without a courier.
ALTER TABLE deliveries ADD COLUMN courier_erased_at timestamptz;
