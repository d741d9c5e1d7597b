-- Of a receipt's names that which the shop gave the delivery; null where the provider made each.
ALTER TABLE receipts ADD COLUMN shop_reference text;

-- The second name of a return without a reference of the shop's is that of the delivery, which Uber made.
UPDATE receipts SET shop_reference = delivery_names[2]
FROM sources
WHERE sources.source_id = receipts.source_id AND receipts.state = 'waiting' AND sources.provider = 'uber'
    AND receipts.kind NOT LIKE 'event.delivery_return%';
