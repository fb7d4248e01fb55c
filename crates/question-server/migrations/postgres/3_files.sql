CREATE TABLE file (
    conversation text NOT NULL,
    hash text NOT NULL,
    owner text,
    name text NOT NULL,
    type text NOT NULL,
    size bigint NOT NULL,
    created bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (conversation, hash)
);
-- Pictures and documents are packed already.
ALTER TABLE file ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX file_owner ON file (owner, size);
CREATE INDEX file_size ON file (size);
CREATE INDEX file_created ON file (created, conversation);

-- A file may come before the first message, so no foreign key deletes it.
CREATE FUNCTION delete_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM question_server.file WHERE conversation = OLD.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER files_go AFTER DELETE ON conversation FOR EACH ROW EXECUTE FUNCTION delete_files();
