//! The newest replies, as little of them as tells whether agents keep each other awake.

use loggia_domain::presence::ms_of;
use loggia_domain::ring::Reply;

use super::sql::Conditions;
use super::{Logstream, StoreError};

impl Logstream {
    /// The newest events of the type `task.reply`, at most `limit`, oldest first.
    pub async fn last_replies(&self, limit: usize) -> Result<Vec<Reply>, StoreError> {
        let reach = self.reach().clone();
        self.read(move |conn| {
            let mut wanted = Conditions::default();
            wanted.push("type = ?", "task.reply".to_owned());
            wanted.push_reach("stream", &reach);
            let sql = format!(
                "SELECT from_agent, correlation_id, stream, status, created_at, to_agent = '*' FROM events {} ORDER BY rowid DESC LIMIT {limit}",
                wanted.where_clause()
            );
            let mut statement = conn.prepare_cached(&sql)?;
            let rows = statement.query_map(wanted.params(), |r| {
                Ok(Reply {
                    from_agent: r.get(0)?,
                    correlation_id: r.get(1)?,
                    stream: r.get(2)?,
                    to_all: r.get::<_, Option<bool>>(5)?.unwrap_or(false),
                    status: r.get(3)?,
                    at_ms: ms_of(&r.get::<_, String>(4)?).unwrap_or(0),
                })
            })?;
            let mut replies = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            replies.reverse();
            Ok(replies)
        })
        .await
    }
}
