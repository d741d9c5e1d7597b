-- Days of fixes beside readers that hold the table for long, such as a dump.

-- ATTACH PARTITION waits for no reader or writer of the table; CREATE TABLE … PARTITION OF waits for all of them, and
-- whatever comes later waits behind it.
CREATE OR REPLACE FUNCTION create_fixes_partition(day date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
DECLARE
    partition_name name := 'fixes_' || to_char(day, 'YYYYMMDD');
BEGIN
    -- The second time another replica may have made it, while this one waited for the lock.
    FOR attempt IN 1..2 LOOP
        IF EXISTS (
            SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
            WHERE pg_namespace.nspname = current_schema() AND pg_class.relname = partition_name)
        THEN
            RETURN;
        END IF;
        PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || ' days of fixes', 0));
    END LOOP;
    EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE %1$I.fixes INCLUDING ALL)', current_schema(), partition_name);
    EXECUTE format(
        'ALTER TABLE %1$I.fixes ATTACH PARTITION %1$I.%2$I FOR VALUES FROM (%3$L) TO (%4$L)',
        current_schema(), partition_name, day::timestamp AT TIME ZONE 'UTC',
        (day + 1)::timestamp AT TIME ZONE 'UTC');
END $$;

-- A drop does wait for all readers and writers, so it gives up soon and is repeated an hour later.
ALTER FUNCTION drop_fixes_partitions(date) SET lock_timeout = '1s';
