-- Whether a correction waits for a person: a provider is to be informed, or a customer asks for another address.
ALTER TABLE deliveries ADD COLUMN correction_due boolean NOT NULL DEFAULT false;
