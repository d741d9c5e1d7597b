-- Browsers that are notified of a delivery's alerts. Rows leave a day after the delivery's card has ended, and when the
-- browser's push service says that the subscription is no more. Domain time.
CREATE TABLE alert_subscriptions (
    delivery_id text NOT NULL,
    -- Where its push service takes messages.
    endpoint text NOT NULL,
    p256dh text NOT NULL,
    auth text NOT NULL,
    locale text NOT NULL,
    -- Sent, come too late, or there when the browser subscribed; the newest last. Kept while it is turned off.
    alerted_ids jsonb NOT NULL,
    is_on boolean NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    subscribed_at timestamptz NOT NULL,
    -- When there may be something to send; NULL while there is not.
    due_at timestamptz,
    PRIMARY KEY (delivery_id, endpoint)
);

CREATE INDEX alert_subscriptions_due ON alert_subscriptions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX alert_subscriptions_by_age ON alert_subscriptions (subscribed_at);
-- For browsers that are gone, of every delivery.
CREATE INDEX alert_subscriptions_by_endpoint ON alert_subscriptions (endpoint);
