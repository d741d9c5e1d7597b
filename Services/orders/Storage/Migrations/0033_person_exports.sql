-- Requests to export a person's data over all services, each a job that is continued until every service has answered.
-- A table of their own: the version before would continue a row of person_requests as an erasure. Domain time, but for
-- leases.
CREATE TABLE person_exports (
    person_request_id uuid PRIMARY KEY,
    person text NOT NULL CHECK (person IN ('customer', 'courier')),
    -- Null for a courier.
    customer_id text CHECK ((customer_id IS NOT NULL) = (person = 'customer')),
    -- Null for a customer.
    courier_id text CHECK ((courier_id IS NOT NULL) = (person = 'courier')),
    -- When a courier with the id was erased: what was done before is of another person. Null without one.
    since timestamptz,
    -- The only store whose token made it, and whose records it has; null for the whole shop.
    store_id text,
    requested_by text NOT NULL,
    requested_at timestamptz NOT NULL,
    finished_at timestamptz,
    -- The progress of each service.
    receipts jsonb NOT NULL DEFAULT '{"services": {}}',
    -- Whose work it is meanwhile, and when it is continued at the earliest: the database's wall time.
    lease uuid,
    leased_until timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX person_exports_running
    ON person_exports (person, coalesce(customer_id, courier_id), coalesce(store_id, '')) WHERE finished_at IS NULL;
CREATE INDEX person_exports_to_lease ON person_exports (leased_until) WHERE finished_at IS NULL;
CREATE INDEX person_exports_by_customer ON person_exports (customer_id, requested_at) WHERE customer_id IS NOT NULL;
CREATE INDEX person_exports_by_courier ON person_exports (courier_id, requested_at) WHERE courier_id IS NOT NULL;
CREATE INDEX person_exports_by_age ON person_exports ((coalesce(finished_at, requested_at)));

-- What the stores know of one courier.
CREATE INDEX store_couriers_by_courier ON store_couriers (courier_id);

-- The archive of an export in chunks, each sealed for its place.
CREATE TABLE person_archives (
    person_request_id uuid NOT NULL REFERENCES person_exports ON DELETE CASCADE,
    section text NOT NULL,
    number integer NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (person_request_id, section, number)
);

-- What is encrypted cannot be compressed.
ALTER TABLE person_archives ALTER COLUMN sealed SET STORAGE EXTERNAL;
