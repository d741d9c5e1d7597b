-- The probability that the promise is missed, as courier-eta last said; operators' lists are sorted by it.
ALTER TABLE deliveries ADD COLUMN miss_probability double precision CHECK (miss_probability BETWEEN 0 AND 1);
