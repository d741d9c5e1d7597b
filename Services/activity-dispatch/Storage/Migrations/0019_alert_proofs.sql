-- The proof of the order's number with which a browser was subscribed; NULL where it is not known.
ALTER TABLE alert_subscriptions ADD COLUMN proof text;
