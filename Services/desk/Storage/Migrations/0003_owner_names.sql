-- Who sees to a delivery is named as they were when they took it. The text ends with the subject in brackets, so that what
-- stands beside another owner, whom a former version wrote, is not taken for that one's.

ALTER TABLE triage ADD COLUMN owner_text text;
