//! Chunk expansion: `*_CHUNK` events become start, content and end. Each agent, the parent or a subagent, has one lane, and a lane holds
//! at most one open stream.

use crate::index::Index;
use crate::notice::{Detail, Notice, Verdict};
use crate::protocol::{Does, Ends, Rule, Thing};
use crate::wire::{Members, Presence, set, take, text, text_or_empty};
use std::borrow::Cow;
use std::mem;

/// The open chunk streams.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// In the order in which they opened; one that ended leaves its place empty.
    open: Vec<Option<Lane>>,
    /// The places of those that are open, by owner.
    owners: Index,
    /// The same by kind and id.
    ids: [Index; 3],
}

#[derive(Debug)]
struct Lane {
    thing: Thing,
    /// The event that opened it: what the first chunk said, which later ones may repeat but not change.
    opening: Members<'static>,
}

/// The member that names the subagent; without it, an event is the parent agent's.
const OWNER: &str = "subagentRunId";

/// Takes the events that an event stands for.
type Sink<'s, 'a> = &'s mut dyn FnMut(&'static Rule, Members<'a>) -> Verdict;

impl Lanes {
    /// Whether an event stands for itself and ends nothing.
    pub(super) fn pass(&self, rule: &Rule) -> bool {
        self.owners.is_empty() && !matches!(rule.does, Does::Chunk(_))
    }

    /// Gives the events that an event stands for, in order, until the sink refuses one.
    pub(super) fn take<'a>(&mut self, rule: &'static Rule, event: Members<'a>, sink: Sink<'_, 'a>) -> Verdict {
        if let Does::Chunk(thing) = rule.does {
            return self.take_chunk(thing, event, sink);
        }
        match rule.ends {
            Ends::All => {
                for lane in mem::take(self).open {
                    close(lane, sink)?;
                }
            }
            Ends::Own => self.close_of(text(&event, OWNER), sink)?,
            Ends::None => {}
        }
        sink(rule, event)
    }

    fn take_chunk<'a>(&mut self, thing: Thing, mut chunk: Members<'a>, sink: Sink<'_, 'a>) -> Verdict {
        let [start, content, ..] = thing.rows() else {
            return Ok(());
        };
        let found = self.find(thing, &chunk)?;
        let mut metadata = take(&mut chunk, "metadata");
        let at = match found {
            Some(at) => at,
            None => {
                let lane = Lane::of(thing, &chunk)?;
                self.close_of(text(&chunk, OWNER), sink)?;
                let mut event = lane.opening.clone();
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
        // A chunk that carries nothing but metadata still continues its stream; the first one gave them to the start.
        if delta.is_none() && raw.is_none() && metadata.is_none() {
            return Ok(());
        }
        let mut event = content.members();
        set(&mut event, thing.id(), lane.id());
        match delta {
            Some(delta) => event.push(delta),
            None => set(&mut event, "delta", ""),
        }
        lane.copy_owner(&mut event);
        event.extend(raw);
        event.extend(metadata);
        sink(content, event)
    }

    /// Adds a lane and returns its place. Empty places are given up once they are the greater part.
    fn add(&mut self, lane: Lane) -> usize {
        if self.open.len() > 16 + 2 * self.owners.len() {
            for lane in mem::take(self).open.into_iter().flatten() {
                self.add(lane);
            }
        }
        let at = self.open.len();
        self.owners.insert(&key(lane.owner()), at);
        self.ids[lane.thing as usize].insert(lane.id(), at);
        self.open.push(Some(lane));
        at
    }

    fn at(&self, at: Option<usize>) -> Option<&Lane> {
        self.open.get(at?)?.as_ref()
    }

    /// The place of the lane whose stream a chunk continues; `None` where it opens one.
    fn find(&self, thing: Thing, chunk: &Members<'_>) -> Verdict<Option<usize>> {
        let (name, owner) = (thing.rows()[3].name, text(chunk, OWNER));
        let ids = &self.ids[thing as usize];
        if let Some(id) = text(chunk, thing.id()) {
            let found = ids.get(id);
            if let Some(lane) = self.at(found)
                && owner.is_some()
                && owner != lane.owner()
            {
                return Err(Notice::new(Detail::ChunkOfAnother, &[name, id]));
            }
            return Ok(found);
        }
        let own = self.owners.get(&key(owner));
        if self.at(own).is_some_and(|lane| lane.thing == thing) {
            return Ok(own);
        }
        match ids.len() {
            1 if owner.is_none() => Ok(ids.iter().next().map(|(_, at)| at)),
            2.. if owner.is_none() => Err(Notice::new(Detail::ChunkIsAmbiguous, &[name])),
            _ => Ok(None),
        }
    }

    fn close_of<'a>(&mut self, owner: Option<&str>, sink: Sink<'_, 'a>) -> Verdict {
        let lane = self.owners.get(&key(owner)).and_then(|at| self.open[at].take());
        if let Some(lane) = &lane {
            self.owners.remove(&key(owner));
            self.ids[lane.thing as usize].remove(lane.id());
        }
        close(lane, sink)
    }
}

fn close<'a>(lane: Option<Lane>, sink: Sink<'_, 'a>) -> Verdict {
    let Some(lane) = lane else {
        return Ok(());
    };
    let (end, mut event) = lane.thing.end_of(lane.id());
    lane.copy_owner(&mut event);
    sink(end, event)
}

/// The parent agent's key, or that of a subagent.
fn key(owner: Option<&str>) -> Cow<'static, str> {
    owner.map_or(Cow::Borrowed(""), |owner| Cow::Owned(String::from("/") + owner))
}

impl Lane {
    /// What the first chunk of a stream opens.
    fn of(thing: Thing, chunk: &Members<'_>) -> Verdict<Self> {
        let [start, .., own] = thing.rows() else {
            return Err(Notice::new(Detail::NoEvent, &[]));
        };
        let mut opening = start.members();
        for field in start.own.iter().chain(start.shared.first()) {
            let unsaid = match (field.name, thing) {
                ("role", Thing::Text) => Some("assistant"),
                ("role", _) => Some("reasoning"),
                _ => None,
            };
            match text(chunk, field.name).or(unsaid) {
                Some(said) => set(&mut opening, field.name, said),
                None if field.presence == Presence::Required => {
                    return Err(Notice::new(Detail::FirstChunkLacks, &[own.name, field.name]));
                }
                None => {}
            }
        }
        Ok(Self { thing, opening })
    }

    fn id(&self) -> &str {
        text_or_empty(&self.opening, self.thing.id())
    }

    fn owner(&self) -> Option<&str> {
        text(&self.opening, OWNER)
    }

    fn copy_owner(&self, event: &mut Members<'_>) {
        if let Some(owner) = self.owner() {
            set(event, OWNER, owner);
        }
    }

    /// Refuses a later chunk that says something else.
    fn check(&self, later: &Members<'_>) -> Verdict {
        let [start, .., own] = self.thing.rows() else {
            return Ok(());
        };
        for field in &start.own[1..] {
            let open = text(&self.opening, field.name);
            if let Some(given) = text(later, field.name)
                && open != Some(given)
            {
                let names = [own.name, field.name, given, open.unwrap_or_default()];
                return Err(Notice::new(Detail::ChunkDiffers, &names));
            }
        }
        Ok(())
    }
}
