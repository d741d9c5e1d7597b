-- When the end of a delivery was disputed; NULL without a dispute, and once an operator has decided.
ALTER TABLE deliveries ADD COLUMN disputed_at timestamptz;

-- Disputed ends are listed with what is live.
CREATE INDEX deliveries_disputed ON deliveries (delivery_id) WHERE disputed_at IS NOT NULL;
