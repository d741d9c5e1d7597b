-- Requests to erase a customer over all services, each a job that is continued until every service has answered. Domain
-- time, but for leases.
CREATE TABLE person_requests (
    person_request_id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('erase')),
    -- Null once the request is done: nothing of the person is left but the hash.
    customer_id text,
    -- HMAC-SHA256 of the customer's id by a key of erasures.key.file, after the key's number and a colon.
    person_hash text NOT NULL,
    -- Stands for the customer in the rows that stay.
    pseudonym text NOT NULL,
    -- The only store whose token made it; null for the whole shop.
    store_id text,
    requested_by text NOT NULL,
    requested_at timestamptz NOT NULL,
    finished_at timestamptz,
    -- The receipt of each service.
    receipts jsonb NOT NULL DEFAULT '{"services": {}}',
    -- Whose work it is meanwhile, and when it is continued at the earliest: the database's wall time.
    lease uuid,
    leased_until timestamptz NOT NULL DEFAULT now(),
    CHECK ((customer_id IS NULL) = (finished_at IS NOT NULL))
);

CREATE UNIQUE INDEX person_requests_running ON person_requests (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX person_requests_to_lease ON person_requests (leased_until) WHERE customer_id IS NOT NULL;
CREATE INDEX person_requests_by_person ON person_requests (person_hash, requested_at);

-- Since when nothing changes the delivery any more, as its customer is being erased, or is.
ALTER TABLE deliveries ADD COLUMN erased_at timestamptz;

-- The order of a stored answer; null in rows of the version before.
ALTER TABLE idempotency_keys ADD COLUMN order_id text;
CREATE INDEX idempotency_keys_by_order ON idempotency_keys (order_id) WHERE order_id IS NOT NULL;
