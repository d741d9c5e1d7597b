-- Whether a customer has an activity still, ended ones included.
CREATE INDEX IF NOT EXISTS activities_by_customer ON activities (customer_id);
