-- Order numbers that pages were given and that were wrong, by who gave them: an address, in all and for one order. Domain
-- time. reference_attempts, which counted by order alone, is written by the former version only.
CREATE TABLE reference_guesses (
    guesser text PRIMARY KEY,
    -- In the window that begins with the first of them.
    attempts integer NOT NULL,
    window_began_at timestamptz NOT NULL
);
CREATE INDEX reference_guesses_by_window ON reference_guesses (window_began_at);
