-- References without the white space around them, as those of webhooks are compared. Of one that was stored in several
-- forms the newest stays; it is contested where one of them is, or where they are of deliveries of two stores.
UPDATE provider_references AS held SET is_contested = true
FROM (
    SELECT named.source_id, btrim(named.reference, E' \u00a0\u3000') AS form
    FROM provider_references AS named LEFT JOIN deliveries ON deliveries.delivery_id = named.delivery_id
    GROUP BY named.source_id, btrim(named.reference, E' \u00a0\u3000')
    HAVING count(*) > 1 AND (bool_or(named.is_contested)
        OR count(DISTINCT coalesce(deliveries.store_id, named.store_id)) > 1)
) AS claimed
WHERE held.source_id = claimed.source_id AND btrim(held.reference, E' \u00a0\u3000') = claimed.form;

DELETE FROM provider_references AS older USING provider_references AS newer
WHERE newer.source_id = older.source_id
    AND btrim(newer.reference, E' \u00a0\u3000') = btrim(older.reference, E' \u00a0\u3000')
    AND (newer.set_at, newer.reference) > (older.set_at, older.reference);

UPDATE provider_references SET reference = btrim(reference, E' \u00a0\u3000')
WHERE reference <> btrim(reference, E' \u00a0\u3000');
