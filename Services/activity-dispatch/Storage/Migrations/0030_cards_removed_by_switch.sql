-- Whether the card left the phone by its owner's switch for Live Activities: no later report of that is of a swipe.
ALTER TABLE cards ADD COLUMN removed_by_switch boolean NOT NULL DEFAULT false;
