-- Deliveries and orders are found by what people know, orders by when they last changed, and a delivery without an
-- estimate is graded by what such deliveries usually still take.

-- From this domain time on it can hardly arrive within its promise as it stands. Null from pickup on, and in rows of the
-- version before until their next change: those count as at risk a quarter of an hour before their promise ends.
ALTER TABLE deliveries ADD COLUMN at_risk_from timestamptz;

-- Domain time of the newest change of any of its deliveries. Null in rows of the version before: since they were placed.
ALTER TABLE orders ADD COLUMN changed_at timestamptz;
UPDATE orders SET changed_at = changes.at
FROM (SELECT order_id, max(at) AS at FROM timeline JOIN deliveries USING (delivery_id) GROUP BY order_id) AS changes
WHERE changes.order_id = orders.order_id;

CREATE INDEX orders_by_change ON orders (coalesce(changed_at, placed_at), order_id);
CREATE INDEX orders_of_store_by_change ON orders (store_id, coalesce(changed_at, placed_at), order_id);
CREATE INDEX orders_of_customer_by_change ON orders (customer_id, coalesce(changed_at, placed_at), order_id);

-- Whole words find a delivery of any age; so does the beginning of an id, for which the collation is that of bytes.
CREATE INDEX orders_by_any_case_of_reference ON orders (lower(reference));
CREATE INDEX orders_by_beginning_of_id ON orders (order_id COLLATE "C");
CREATE INDEX deliveries_by_beginning_of_id ON deliveries (delivery_id COLLATE "C");
CREATE INDEX deliveries_by_any_case_of_customer ON deliveries (lower(customer_id));
