CREATE TABLE file (
    conversation TEXT NOT NULL,
    hash TEXT NOT NULL,
    owner TEXT,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    size INTEGER NOT NULL,
    created INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (conversation, hash)
) STRICT;
CREATE INDEX file_owner ON file (owner, size);
CREATE INDEX file_size ON file (size);
CREATE INDEX file_created ON file (created, conversation);

-- A file may come before the first message, so no foreign key deletes it.
CREATE TRIGGER files_go AFTER DELETE ON conversation BEGIN
    DELETE FROM file WHERE conversation = OLD.id;
END;
