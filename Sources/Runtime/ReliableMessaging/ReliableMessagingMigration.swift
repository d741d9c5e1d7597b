/// The tables of this library, for every service's own schema.
package enum ReliableMessagingMigration {
    /// Creates `outbox`, `timers`, `dead_letters` and `republish_rounds` in the schema of the connection.
    ///
    /// Meant as each service's first migration. `due_at` is domain time; every other time is the database's wall time,
    /// the one clock that all replicas share.
    package static let sql = """
        -- Messages that are committed and not yet acknowledged by the broker. A row goes when it is sent.
        CREATE TABLE outbox (
            outbox_id uuid PRIMARY KEY,
            subject text NOT NULL,
            payload bytea NOT NULL,
            headers jsonb NOT NULL,
            created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            -- Nobody takes the row before; a lease and a wait after a failure are the same thing.
            leased_until timestamptz NOT NULL DEFAULT clock_timestamp(),
            -- Refusals that were the row's own fault. An outage of the broker counts nothing.
            attempts integer NOT NULL DEFAULT 0,
            last_error text
        ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
        CREATE INDEX outbox_to_lease ON outbox (leased_until);
        CREATE INDEX outbox_oldest ON outbox (created_at);

        -- What shall happen at a domain time, at most once per kind and key.
        CREATE TABLE timers (
            kind text NOT NULL,
            key text NOT NULL,
            due_at timestamptz NOT NULL,
            payload bytea NOT NULL,
            -- Changes with every lease and is taken away by every change, so that whoever holds an old one notices.
            lease uuid,
            leased_until timestamptz NOT NULL DEFAULT '-infinity',
            attempts integer NOT NULL DEFAULT 0,
            last_error text,
            PRIMARY KEY (kind, key)
        ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
        CREATE INDEX timers_due ON timers (due_at);

        -- What could not be taken or sent, kept until a person decides.
        CREATE TABLE dead_letters (
            dead_letter_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
            origin text NOT NULL CHECK (origin IN ('message', 'outbox', 'timer')),
            consumer text,
            stream text,
            stream_sequence bigint,
            stored_at timestamptz,
            message_id text,
            -- Of a timer: its kind here, its key in message_id.
            subject text NOT NULL,
            due_at timestamptz,
            payload bytea NOT NULL,
            headers jsonb NOT NULL,
            error text NOT NULL,
            attempts integer NOT NULL,
            occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            -- 'failing' is not dead yet: a message that its handler refused and that will be tried again.
            state text NOT NULL DEFAULT 'open'
                CHECK (state IN ('failing', 'open', 'retrying', 'retried', 'dropped')),
            -- Of one that is tried again: no other replica takes it before.
            leased_until timestamptz,
            settled_at timestamptz,
            reason text,
            -- A stream that was made anew counts from one again, so the sequence alone names no message.
            UNIQUE (consumer, stream, stream_sequence, stored_at)
        );
        CREATE INDEX dead_letters_newest ON dead_letters (occurred_at DESC, dead_letter_id DESC);
        CREATE INDEX dead_letters_by_state ON dead_letters (state);

        -- How far the slow republishing of everything live has come.
        CREATE TABLE republish_rounds (
            name text PRIMARY KEY,
            started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            position text,
            done integer NOT NULL DEFAULT 0,
            last_total integer,
            is_complete boolean NOT NULL DEFAULT false
        );
        """
    /// Drops the index that only the age of the oldest message was read by: every message paid for it.
    package static let withoutOldestIndex = "DROP INDEX IF EXISTS outbox_oldest"

    /// Creates `resync_rounds`, which replaces `republish_rounds`; the previous version's processes use the latter.
    package static let resyncRounds = """
        -- Which slice of everything live is republished next, and when; wall times.
        CREATE TABLE resync_rounds (
            name text PRIMARY KEY,
            slice integer NOT NULL DEFAULT 0 CHECK (slice BETWEEN 0 AND 127),
            -- What the slice's next page begins after; null at its beginning.
            position text,
            -- When the slice is due.
            slice_due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            -- When its first page was, or before that the former slice's.
            slice_begun_at timestamptz
        )
        """
    /// Compresses documents above 2 KB with LZ4 from now on, at a fraction of the CPU time of Postgres' own method;
    /// stored documents stay as they are.
    ///
    /// A server built without LZ4 keeps its own method.
    package static let lz4 = """
        DO $$
        DECLARE
            stored record;
        BEGIN
            FOR stored IN
                SELECT attrelid::regclass AS relation, attname AS name FROM pg_attribute JOIN pg_class ON oid = attrelid
                WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
                    AND atttypid IN ('jsonb'::regtype, 'bytea'::regtype, 'text'::regtype)
                ORDER BY attrelid, attnum
            LOOP
                EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION lz4', stored.relation, stored.name);
            END LOOP;
        EXCEPTION WHEN feature_not_supported THEN
            RAISE NOTICE 'this server has no LZ4, documents are compressed by its own method';
        END $$
        """
}
