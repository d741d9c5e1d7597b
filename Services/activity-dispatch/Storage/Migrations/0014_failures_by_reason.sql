-- What the failures that are counted were for: those for another reason are counted, and waited for, anew.
-- Null: none, or from before.
ALTER TABLE cards ADD COLUMN failed_for text;
ALTER TABLE devices ADD COLUMN start_failed_for text;
