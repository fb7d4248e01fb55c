//! The tables.

use crate::store::StoreError;
use crate::store::rows::missing;
use deadpool_postgres::Object;
use tokio_postgres::{Client, SimpleQueryMessage};

/// The steps from one version of the tables to the next; the table `migration` has a row for each that was made.
pub(super) const MIGRATIONS: [&str; 6] = [
    "
    CREATE TABLE question_server.conversation (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        owner text,
        version integer NOT NULL,
        state text NOT NULL,
        context text NOT NULL,
        revision bigint NOT NULL,
        told_since bigint NOT NULL,
        told bigint NOT NULL,
        holder text,
        due_at bigint,
        ended_at bigint
    );
    CREATE INDEX due ON question_server.conversation (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX ended ON question_server.conversation (ended_at) WHERE ended_at IS NOT NULL;
    CREATE INDEX owned ON question_server.conversation (owner) WHERE owner IS NOT NULL;
    CREATE TABLE question_server.message (
        conversation bigint NOT NULL REFERENCES question_server.conversation ON DELETE CASCADE,
        sequence bigint NOT NULL,
        json text NOT NULL,
        PRIMARY KEY (conversation, sequence)
    );
",
    "
    ALTER TABLE question_server.conversation ADD COLUMN run text;
    CREATE UNLOGGED TABLE question_server.feed (
        id text NOT NULL,
        since bigint NOT NULL,
        first bigint NOT NULL,
        told bigint NOT NULL,
        frames text NOT NULL,
        at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX place ON question_server.feed (id, since, told);
    CREATE INDEX age ON question_server.feed (at);
",
    "
    CREATE TABLE question_server.readiness (one boolean PRIMARY KEY DEFAULT true CHECK (one), filler text NOT NULL);
    ALTER TABLE question_server.readiness ALTER COLUMN filler SET STORAGE EXTERNAL;
",
    "
    ALTER TABLE question_server.conversation ADD COLUMN waiting_since bigint;
    UPDATE question_server.conversation SET waiting_since = (extract(epoch FROM now()) * 1000)::bigint
        WHERE state LIKE '{\"type\":\"awaiting_user_response\"%';
    CREATE INDEX waiting ON question_server.conversation (waiting_since) WHERE waiting_since IS NOT NULL;
",
    "
    ALTER TABLE question_server.conversation ADD COLUMN peer text NOT NULL DEFAULT '';
    CREATE INDEX peers ON question_server.conversation (peer);
",
// Servers of an older version may still write into the table: their rows are dropped.
    "
    DROP TABLE question_server.feed;
    CREATE VIEW question_server.feed AS
        SELECT NULL::text AS id, NULL::bigint AS since, NULL::bigint AS first, NULL::bigint AS told, NULL::text AS frames,
               NULL::timestamptz AS at
        WHERE false;
    CREATE FUNCTION question_server.to_nowhere() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER to_nowhere INSTEAD OF INSERT OR DELETE ON question_server.feed
        FOR EACH ROW EXECUTE FUNCTION question_server.to_nowhere();
",
];

/// The number of the lock for migrations; the same number marks an SQLite file.
const LOCK: i64 = 0x4173_6b55;

/// Migrates the tables in one transaction.
pub(super) async fn migrate(client: &mut Client, migrations: &[&str]) -> Result<(), StoreError> {
    let work = client.transaction().await?;
    work.batch_execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0").await?;
    work.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    // Not `IF NOT EXISTS`, which needs the right to create even an existing schema.
    let found = work.query_one("SELECT to_regnamespace('question_server') IS NULL", &[]).await?;
    if found.try_get(0)? {
        work.batch_execute("CREATE SCHEMA question_server").await?;
    }
    let found = work.query_one("SELECT to_regclass('question_server.migration') IS NULL", &[]).await?;
    if found.try_get(0)? {
        work.batch_execute("CREATE TABLE question_server.migration (version integer PRIMARY KEY)").await?;
    }
    let found = work.query_one("SELECT count(*) FROM question_server.migration", &[]).await?;
    let version: i64 = found.try_get(0)?;
    for (number, migration) in (version + 1..).zip(missing(migrations, version)?) {
        work.batch_execute(migration).await?;
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        work.execute("INSERT INTO question_server.migration VALUES ($1)", &[&number]).await?;
    }
    Ok(work.commit().await?)
}

/// Refuses a pooler that gives each transaction another session: notifications and prepared statements live in one.
pub(super) async fn check_sessions([one, other]: [Object; 2]) -> Result<(), StoreError> {
    let before = session(&one).await?;
    other.batch_execute("BEGIN").await?;
    // A pooler gives it the free session, or gives the first connection another one meanwhile.
    let is_shared = before == session(&other).await? || before != session(&one).await?;
    other.batch_execute("ROLLBACK").await?;
    match is_shared {
        true => Err(StoreError(
            "a pooler in front of it shares sessions between transactions; connect directly or set it to session mode"
                .to_owned(),
        )),
        false => Ok(()),
    }
}

/// The database process of a connection, asked without a prepared statement, which a pooler may lose.
async fn session(connection: &Client) -> Result<Option<String>, StoreError> {
    let answers = connection.simple_query("SELECT pg_backend_pid()").await?;
    Ok(answers.iter().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}
