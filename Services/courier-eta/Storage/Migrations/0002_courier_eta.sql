-- Deliveries as `orders` last said they are, with what this service knows beside that; couriers and their fixes.

CREATE TABLE deliveries (
    delivery_id text PRIMARY KEY,
    -- Of the snapshot; an older one that comes late changes nothing.
    version integer NOT NULL CHECK (version >= 1),
    customer_id text NOT NULL,
    courier_id text,
    ended_at timestamptz,
    -- The message as it came: the delivery and its links.
    snapshot jsonb NOT NULL,
    -- Estimate, milestones and when the leg began.
    watch jsonb NOT NULL,
    -- Counts this service's words about the delivery; never reset, so that every word supersedes the one before.
    step integer NOT NULL DEFAULT 0 CHECK (step >= 0)
) WITH (fillfactor = 70);

CREATE INDEX deliveries_live_by_courier ON deliveries (courier_id) WHERE ended_at IS NULL;
CREATE INDEX deliveries_ended_by_end ON deliveries (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE couriers (
    courier_id text PRIMARY KEY,
    -- The recent way, bounded; what estimates are made from.
    track jsonb NOT NULL,
    -- Of the newest fix that is believed.
    latest_at timestamptz
) WITH (fillfactor = 70);

-- Everything that was heard, by day. A repeat of a courier's moment is one row.
CREATE TABLE fixes (
    courier_id text NOT NULL,
    fixed_at timestamptz NOT NULL,
    latitude double precision NOT NULL CHECK (latitude BETWEEN -90 AND 90),
    longitude double precision NOT NULL CHECK (longitude BETWEEN -180 AND 180),
    accuracy double precision,
    speed double precision,
    heading double precision,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (courier_id, fixed_at)
) PARTITION BY RANGE (fixed_at);

-- The service's role owns no table, so days are made and dropped by functions of the owner's.
CREATE FUNCTION make_fixes_day(day date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || ' days of fixes', 0));
    EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %1$I.%2$I PARTITION OF %1$I.fixes FOR VALUES FROM (%3$L) TO (%4$L)',
        current_schema(), 'fixes_' || to_char(day, 'YYYYMMDD'), day::timestamp AT TIME ZONE 'UTC',
        (day + 1)::timestamp AT TIME ZONE 'UTC');
END $$;

-- Drops every day before `day`, and says how many.
CREATE FUNCTION drop_fixes_days(before date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    old name;
    dropped integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || ' days of fixes', 0));
    FOR old IN
        SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = format('%I.fixes', current_schema())::regclass
            AND relname < 'fixes_' || to_char(before, 'YYYYMMDD')
    LOOP
        EXECUTE format('DROP TABLE %I.%I', current_schema(), old);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END $$;
