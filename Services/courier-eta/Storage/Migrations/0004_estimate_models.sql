-- What was learned about how couriers travel; the newest that can be read is used.
CREATE TABLE estimate_models (
    estimate_model_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Of the document; a program passes over formats that it does not know.
    format integer NOT NULL CHECK (format >= 1),
    -- Rides that it was fitted on.
    rides integer NOT NULL CHECK (rides >= 0),
    model jsonb NOT NULL,
    -- Wall time: models are about programs, not about deliveries.
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX estimate_models_by_format ON estimate_models (format, estimate_model_id DESC);
