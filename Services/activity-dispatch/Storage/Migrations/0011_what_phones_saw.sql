-- Why a push was not taken, and the id under which Apple knows it. Null: from before, or there is none.
ALTER TABLE pushes ADD COLUMN cause text;
ALTER TABLE pushes ADD COLUMN apns_id uuid;
-- When the phone's app first told that it shows the push; and when it last looked and the push had not come.
ALTER TABLE pushes ADD COLUMN seen_at timestamptz;
ALTER TABLE pushes ADD COLUMN missed_at timestamptz;
-- When the device's app last reported what it sees. Null: never, or before this was kept.
ALTER TABLE devices ADD COLUMN reported_at timestamptz;
