-- References in the form of a UUID in lower case, in which those of webhooks are compared. Of one that was stored in
-- several forms the newest stays; it is contested where one of them is, or where they are of deliveries of two stores.
UPDATE provider_references AS held SET is_contested = true
FROM (
    SELECT named.source_id, lower(named.reference) AS form
    FROM provider_references AS named LEFT JOIN deliveries ON deliveries.delivery_id = named.delivery_id
    WHERE named.reference ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
    GROUP BY named.source_id, lower(named.reference)
    HAVING count(*) > 1 AND (bool_or(named.is_contested)
        OR count(DISTINCT coalesce(deliveries.store_id, named.store_id)) > 1)
) AS claimed
WHERE held.source_id = claimed.source_id AND lower(held.reference) = claimed.form;

DELETE FROM provider_references AS older USING provider_references AS newer
WHERE newer.source_id = older.source_id AND lower(newer.reference) = lower(older.reference)
    AND (newer.set_at, newer.reference) > (older.set_at, older.reference)
    AND older.reference ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$';

UPDATE provider_references SET reference = lower(reference)
WHERE reference ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' AND reference <> lower(reference);
