//! Chunk expansion (`basic/patterns/streaming`): `*_CHUNK` events become start, content and end. Each agent (parent or subagent) has one lane, and a
//! lane has at most one open stream.

use crate::notice::{Notice, NoticeDetail, NoticeResult};
use crate::protocol::{Closes, EntityKind, EventEffect, EventRule};
use crate::wire::{Members, Presence, set, take};
use json_tree::Ids;
use std::mem;

#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// In opening order. A closed lane leaves its slot empty.
    open: Vec<Option<Lane>>,
    /// Indexes into `open`, by [`key`].
    owners: Ids,
    /// Indexes into `open`, by kind and id.
    ids: [Ids; 3],
}

#[derive(Debug)]
struct Lane {
    entity: EntityKind,
    /// The event that opened the stream. Later chunks may repeat its members but not change them.
    opening: Members<'static>,
}

/// The member that names the subagent. Events without it belong to the parent agent.
const OWNER: &str = "subagentRunId";

type LaneSink<'s, 'a> = &'s mut dyn FnMut(&'static EventRule, Members<'a>) -> NoticeResult;

impl Lanes {
    /// Returns true if the event needs no expansion and closes no lane.
    pub(super) fn pass(&self, rule: &EventRule) -> bool {
        self.owners.is_empty() && !matches!(rule.effect, EventEffect::Chunk(_))
    }

    /// Emits the events that an event expands to, in order, until the sink refuses one.
    pub(super) fn take<'a>(
        &mut self,
        rule: &'static EventRule,
        event: Members<'a>,
        sink: LaneSink<'_, 'a>,
    ) -> NoticeResult {
        if let EventEffect::Chunk(entity) = rule.effect {
            return self.take_chunk(entity, event, sink);
        }
        match rule.closes {
            Closes::All => {
                for lane in mem::take(self).open {
                    close(lane, sink)?;
                }
            }
            Closes::Own => self.close_of(event.string(OWNER), sink)?,
            Closes::None => {}
        }
        sink(rule, event)
    }

    fn take_chunk<'a>(&mut self, entity: EntityKind, mut chunk: Members<'a>, sink: LaneSink<'_, 'a>) -> NoticeResult {
        let [start, content, ..] = entity.rows();
        let found = self.find(entity, &chunk)?;
        let mut metadata = take(&mut chunk, "metadata");
        let timestamp = take(&mut chunk, "timestamp");
        let at = match found {
            Some(at) => at,
            None => {
                let lane = Lane::of(entity, &chunk)?;
                self.close_of(chunk.string(OWNER), sink)?;
                let mut event = lane.opening.clone();
                event.extend(timestamp.clone());
                event.extend(metadata.take());
                sink(start, event)?;
                self.add(lane)
            }
        };
        let Some(lane) = self.open.get(at).and_then(Option::as_ref) else {
            return Ok(());
        };
        if found.is_some() {
            lane.check(&chunk)?;
        }
        let (delta, raw) = (take(&mut chunk, "delta"), take(&mut chunk, "rawEvent"));
        // A chunk with only metadata still continues its stream. The metadata of the first chunk went into the start event.
        if delta.is_none() && raw.is_none() && metadata.is_none() {
            return Ok(());
        }
        let mut event = content.members();
        set(&mut event, entity.id(), lane.id());
        match delta {
            Some(delta) => event.push(delta),
            None => set(&mut event, "delta", ""),
        }
        lane.copy_owner(&mut event);
        event.extend(timestamp);
        event.extend(raw);
        event.extend(metadata);
        sink(content, event)
    }

    /// Adds a lane and returns its index. Compacts the list once most slots are empty.
    fn add(&mut self, lane: Lane) -> usize {
        if self.open.len() > 16 + 2 * self.owners.len() {
            for lane in mem::take(self).open.into_iter().flatten() {
                self.add(lane);
            }
        }
        let at = self.open.len();
        self.owners.put(&key(lane.owner()), at);
        self.ids[lane.entity as usize].put(lane.id(), at);
        self.open.push(Some(lane));
        at
    }

    fn at(&self, at: Option<usize>) -> Option<&Lane> {
        self.open.get(at?)?.as_ref()
    }

    /// The index of the lane whose stream a chunk continues; `None` if the chunk opens a stream.
    fn find(&self, entity: EntityKind, chunk: &Members<'_>) -> NoticeResult<Option<usize>> {
        let (name, owner) = (entity.rows()[3].name, chunk.string(OWNER));
        let ids = &self.ids[entity as usize];
        if let Some(id) = chunk.string(entity.id()) {
            let found = ids.find(id);
            if let Some(lane) = self.at(found)
                && owner.is_some()
                && owner != lane.owner()
            {
                return Err(Notice::new(NoticeDetail::ChunkOfAnother, &[name, id]));
            }
            return Ok(found);
        }
        let own = self.owners.find(&key(owner));
        if self.at(own).is_some_and(|lane| lane.entity == entity) {
            return Ok(own);
        }
        match ids.len() {
            1 if owner.is_none() => Ok(ids.iter().next().map(|(_, at)| at)),
            2.. if owner.is_none() => Err(Notice::new(NoticeDetail::ChunkIsAmbiguous, &[name])),
            _ => Ok(None),
        }
    }

    fn close_of<'a>(&mut self, owner: Option<&str>, sink: LaneSink<'_, 'a>) -> NoticeResult {
        let lane = self.owners.remove(&key(owner)).and_then(|at| self.open[at].take());
        if let Some(lane) = &lane {
            self.ids[lane.entity as usize].remove(lane.id());
        }
        close(lane, sink)
    }
}

fn close<'a>(lane: Option<Lane>, sink: LaneSink<'_, 'a>) -> NoticeResult {
    let Some(lane) = lane else {
        return Ok(());
    };
    let (end, mut event) = lane.entity.end_of(lane.id());
    lane.copy_owner(&mut event);
    sink(end, event)
}

fn key(owner: Option<&str>) -> String {
    owner.map_or_else(String::new, |owner| String::from("/") + owner)
}

impl Lane {
    fn of(entity: EntityKind, chunk: &Members<'_>) -> NoticeResult<Self> {
        let [start, .., own] = entity.rows();
        let mut opening = start.members();
        for field in start.own.iter().chain(start.shared.first()) {
            let unsaid = match (field.name, entity) {
                ("role", EntityKind::Text) => Some("assistant"),
                ("role", _) => Some("reasoning"),
                _ => None,
            };
            match chunk.string(field.name).or(unsaid) {
                Some(said) => set(&mut opening, field.name, said),
                None if field.presence == Presence::Required => {
                    return Err(Notice::new(NoticeDetail::FirstChunkLacks, &[own.name, field.name]));
                }
                None => {}
            }
        }
        Ok(Self { entity, opening })
    }

    fn id(&self) -> &str {
        self.opening.string(self.entity.id()).unwrap_or_default()
    }

    fn owner(&self) -> Option<&str> {
        self.opening.string(OWNER)
    }

    fn copy_owner(&self, event: &mut Members<'_>) {
        if let Some(owner) = self.owner() {
            set(event, OWNER, owner);
        }
    }

    fn check(&self, later: &Members<'_>) -> NoticeResult {
        let [start, .., own] = self.entity.rows();
        for field in &start.own[1..] {
            let open = self.opening.string(field.name);
            if let Some(given) = later.string(field.name)
                && open != Some(given)
            {
                let names = [own.name, field.name, given, open.unwrap_or_default()];
                return Err(Notice::new(NoticeDetail::ChunkDiffers, &names));
            }
        }
        Ok(())
    }
}
