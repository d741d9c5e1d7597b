-- Of a listener: the stream that reads its queue, until another stream continues it.
ALTER TABLE endpoints ADD COLUMN stream_id uuid;
