-- Of a receipt's names that which the shop gave the delivery; null where the provider made each.
ALTER TABLE receipts ADD COLUMN shop_reference text;

UPDATE receipts SET shop_reference = delivery_names[CASE sources.provider WHEN 'uber' THEN 2 ELSE 1 END]
FROM sources
WHERE sources.source_id = receipts.source_id AND receipts.state = 'waiting'
    AND sources.provider IN ('doordash', 'cloudevents', 'uber');
