-- Which links that only show a delivery are good: those of this number. Revoking them counts it up.
-- NULL until the first one is made.
ALTER TABLE deliveries ADD COLUMN view_links integer CHECK (view_links BETWEEN 1 AND 65535);
