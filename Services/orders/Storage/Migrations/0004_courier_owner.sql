-- A courier's name and number belong to the store that gave them, or to the whole shop.

-- Given with a token that is not restricted to a store. Whose the rows of before are is not known: they are nobody's
-- until the shop describes the courier again.
ALTER TABLE couriers ADD COLUMN is_shop_wide boolean NOT NULL DEFAULT false;

-- Given with a token that is restricted to a store.
CREATE TABLE store_couriers (
    store_id text NOT NULL,
    courier_id text NOT NULL,
    snapshot jsonb NOT NULL,
    PRIMARY KEY (store_id, courier_id)
);

-- What a store's own deliveries have of their couriers, it keeps.
INSERT INTO store_couriers (store_id, courier_id, snapshot)
SELECT DISTINCT ON (store_id, courier_id) store_id, courier_id, snapshot->'courier' FROM deliveries
WHERE courier_id IS NOT NULL AND snapshot->'courier' IS NOT NULL
ORDER BY store_id, courier_id, promise_end DESC;
