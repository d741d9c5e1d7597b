-- What a session was begun with: it ends with that. Sessions and links of before say nothing of it and are good no more,
-- so people sign in once after the upgrade. All times are wall time.

ALTER TABLE sessions
    -- The token by which somebody signed in: its jti, the key that signed it and its iat, each null where it has none.
    ADD COLUMN token_id text,
    ADD COLUMN key_id text,
    ADD COLUMN issued_at timestamptz,
    -- The end of the session, however much it is used; null only in rows that an older version wrote.
    ADD COLUMN expires_at timestamptz,
    -- The identity provider, and its id of the person; null where a token was used.
    ADD COLUMN issuer text,
    ADD COLUMN provider_subject text,
    -- By what the provider is asked again, encrypted with a key that only the browser's cookie gives; null where it
    -- gives no way to ask.
    ADD COLUMN provider_grant bytea,
    -- When the provider was asked last, and when it last confirmed the person.
    ADD COLUMN checked_at timestamptz,
    ADD COLUMN confirmed_at timestamptz;
CREATE INDEX sessions_by_subject ON sessions (subject);

ALTER TABLE sign_in_links
    ADD COLUMN token_id text,
    ADD COLUMN key_id text,
    ADD COLUMN issued_at timestamptz,
    -- The end of the token, and so of a session that the link begins.
    ADD COLUMN token_expires_at timestamptz;
