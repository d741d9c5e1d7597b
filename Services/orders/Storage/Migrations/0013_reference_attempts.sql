-- Order numbers that pages were given, by order, until the right one: whoever has a link may not guess on. Domain time.
CREATE TABLE reference_attempts (
    order_id text PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
    -- In the window that begins with the first of them.
    attempts integer NOT NULL,
    window_began_at timestamptz NOT NULL
);
