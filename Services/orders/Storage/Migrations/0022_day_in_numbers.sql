-- The timelines of many deliveries by time, and the entries that a day's report counts. IF NOT EXISTS: on a big table they
-- may have been made before, CONCURRENTLY.
CREATE INDEX IF NOT EXISTS timeline_by_time ON timeline (at, timeline_id);
CREATE INDEX IF NOT EXISTS timeline_reported_by_time ON timeline (at, timeline_id)
    WHERE kind = 'placed' OR kind IN ('status', 'report', 'milestone') AND what LIKE '%→ attempted%';
