-- What is the desk's own: who is signed in, and who sees to which delivery. Times of sessions are wall time, as a
-- browser lives by it; times of triage are domain time.

CREATE TABLE sessions (
    -- SHA-256 of what the cookie has.
    secret_hash bytea PRIMARY KEY,
    subject text NOT NULL,
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'dispatcher', 'supervisor')),
    started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_seen ON sessions (seen_at);

-- Links that sign in once, for desks without an identity provider.
CREATE TABLE sign_in_links (
    secret_hash bytea PRIMARY KEY,
    subject text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'dispatcher', 'supervisor')),
    expires_at timestamptz NOT NULL
);

-- Sign-ins that are under way at an identity provider.
CREATE TABLE sign_in_attempts (
    -- SHA-256 of the state that the provider gives back.
    state_hash bytea PRIMARY KEY,
    -- SHA-256 of what the browser's cookie has: another browser's answer is not taken.
    browser_hash bytea NOT NULL,
    nonce text NOT NULL,
    verifier text NOT NULL,
    return_path text NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE TABLE triage (
    delivery_id text PRIMARY KEY,
    -- Who sees to it; null for nobody.
    owner text,
    snoozed_until timestamptz,
    note text NOT NULL DEFAULT '',
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL,
    version bigint NOT NULL
);
CREATE INDEX triage_by_change ON triage (changed_at);
