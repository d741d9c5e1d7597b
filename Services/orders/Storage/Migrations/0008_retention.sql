-- An order that is deleted takes its deliveries and the presses of their links with it.
CREATE INDEX link_presses_by_delivery ON link_presses (delivery_id);
-- Room for a changed row beside the former one.
ALTER TABLE deliveries SET (fillfactor = 80);
