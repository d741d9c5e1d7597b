-- Requests to erase a courier, beside those to erase a customer.
ALTER TABLE person_requests ADD COLUMN person text NOT NULL DEFAULT 'customer' CHECK (person IN ('customer', 'courier'));
-- Null once the request is done, and for a customer: the version before continues no request without a customer_id.
ALTER TABLE person_requests ADD COLUMN courier_id text;
-- The names of the courier, and the numbers as deliveries have them, to be replaced in texts; null once the request is done.
ALTER TABLE person_requests ADD COLUMN courier_texts jsonb;
ALTER TABLE person_requests DROP CONSTRAINT person_requests_check;
ALTER TABLE person_requests
    ADD CONSTRAINT person_requests_check CHECK ((num_nonnulls(customer_id, courier_id) = 0) = (finished_at IS NOT NULL));

CREATE UNIQUE INDEX person_requests_running_of_courier ON person_requests (courier_id) WHERE courier_id IS NOT NULL;
CREATE INDEX person_requests_unfinished ON person_requests (leased_until) WHERE finished_at IS NULL;

-- The deliveries of a running request to erase a courier: those that had the courier before it. No foreign key, so that
-- a delivery's retention does not wait.
CREATE TABLE courier_erasures (
    person_request_id uuid NOT NULL REFERENCES person_requests,
    delivery_id text NOT NULL,
    -- Of the assignment: the delivery's courier with a later one is a new courier with the id.
    assignment_epoch integer NOT NULL,
    -- Whether the pseudonym is in the courier's place.
    is_replaced boolean NOT NULL DEFAULT false,
    PRIMARY KEY (person_request_id, delivery_id)
);
