-- Columns, tables and JSON keys in the terms of the code; nothing but names changes.

-- The tracking state of deliveries: a key that is missing stays missing.
CREATE FUNCTION with_keys_renamed(object jsonb, names jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(coalesce(names ->> key, key), value), '{}'::jsonb) FROM jsonb_each(object)
$$;

ALTER TABLE deliveries RENAME COLUMN watch TO tracking;

UPDATE deliveries SET tracking = with_keys_renamed(
    tracking
        || CASE WHEN tracking ? 'signs' THEN jsonb_build_object('signs',
            with_keys_renamed(tracking -> 'signs', '{"standsSince": "stoppedSince"}')) ELSE '{}' END
        || CASE WHEN tracking ? 'arrived' THEN jsonb_build_object('arrived',
            with_keys_renamed(tracking -> 'arrived',
                '{"legSince": "startedAt", "legOrigin": "origin", "at": "arrivedAt"}')) ELSE '{}' END
        || CASE WHEN tracking ? 'told' THEN jsonb_build_object('told', coalesce(
            (SELECT jsonb_agg(with_keys_renamed(one, '{"sign": "milestone"}') ORDER BY number)
                FROM jsonb_array_elements(tracking -> 'told') WITH ORDINALITY AS told (one, number)),
            '[]')) ELSE '{}' END,
    '{
        "legSince": "legStartedAt", "signs": "detector", "roads": "roadSamples", "arrived": "arrivedLeg",
        "listedAt": "riskReportedAt", "said": "lastPublished", "told": "milestones"
    }');

DROP FUNCTION with_keys_renamed(jsonb, jsonb);

-- The training data.
ALTER TABLE finished_ways RENAME TO completed_legs;
ALTER TABLE completed_legs RENAME COLUMN finished_way_id TO completed_leg_id;
ALTER TABLE completed_legs RENAME COLUMN finished_on TO completed_on;
ALTER TABLE completed_legs RENAME COLUMN way TO leg;
ALTER INDEX finished_ways_pkey RENAME TO completed_legs_pkey;
ALTER INDEX finished_ways_by_day RENAME TO completed_legs_by_day;
ALTER SEQUENCE finished_ways_finished_way_id_seq RENAME TO completed_legs_completed_leg_id_seq;
ALTER TABLE finished_stays RENAME TO completed_dwells;
ALTER TABLE completed_dwells RENAME COLUMN finished_stay_id TO completed_dwell_id;
ALTER TABLE completed_dwells RENAME COLUMN finished_on TO completed_on;
ALTER INDEX finished_stays_pkey RENAME TO completed_dwells_pkey;
ALTER INDEX finished_stays_by_day RENAME TO completed_dwells_by_day;
ALTER SEQUENCE finished_stays_finished_stay_id_seq RENAME TO completed_dwells_completed_dwell_id_seq;
ALTER TABLE deliveries RENAME COLUMN is_reduced TO is_summarized;
ALTER INDEX deliveries_to_reduce RENAME TO deliveries_to_summarize;

-- Phones and duty.
ALTER TABLE phones RENAME COLUMN last_heard_at TO last_seen_at;
ALTER TABLE duties RENAME COLUMN said_by TO reported_by;

-- The partitions of fixes.
ALTER FUNCTION make_fixes_day(date) RENAME TO create_fixes_partition;
ALTER FUNCTION drop_fixes_days(date) RENAME TO drop_fixes_partitions;
