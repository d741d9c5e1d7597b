-- What providers reported of a delivery: when it happened, beside when it was learnt. Rows of everything else have none
-- of it. A repeat of a report is known by its id.
ALTER TABLE timeline
    ADD COLUMN occurred_at timestamptz,
    ADD COLUMN source text,
    ADD COLUMN report_id text,
    ADD COLUMN is_late boolean NOT NULL DEFAULT false,
    ADD COLUMN is_inferred boolean NOT NULL DEFAULT false;

CREATE UNIQUE INDEX timeline_by_report ON timeline (delivery_id, source, report_id) WHERE report_id IS NOT NULL;
