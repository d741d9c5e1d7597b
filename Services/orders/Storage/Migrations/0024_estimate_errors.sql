-- How far the arrivals were off that a delivery's customer was shown: [{"horizon": "10m", "seconds": 20}]; NULL before an
-- arrival. Written by the projection of estimates.
ALTER TABLE deliveries ADD COLUMN estimate_errors jsonb;
