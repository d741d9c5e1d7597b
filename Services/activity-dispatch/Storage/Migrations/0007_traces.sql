-- The span in which the wanted state was last changed, as a traceparent header, so that the pushes which it causes belong
-- to the same trace. Null: without one, or from before.
ALTER TABLE activities ADD COLUMN traceparent text;
