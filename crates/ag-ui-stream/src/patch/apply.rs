//! Applies RFC 6902 patches atomically. The cost depends on the patch, its copies and the array items that it shifts, not on the size of the
//! document.

use super::operation::{Operation, OperationKind};
use super::place::{find, find_mut, levels, present, put, remove, restore, take_back};
use json_tree::Json;
use std::mem;

/// The maximum depth of a document; the same as the parser's.
const MAX_DEPTH: usize = 127;
/// The most that copies may add to documents, in values and bytes of text. It also bounds the copies of one patch, and the values visited to check
/// the depth of a value that moves down.
const MAX_COPIED: usize = 1024 * 1024;

const NO_SUCH_PLACE: &str = "there is no such place";

/// Why a patch does not apply, with the index of the failed operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PatchError {
    pub(crate) operation: usize,
    pub(crate) reason: &'static str,
}

type Patched<T = ()> = Result<T, &'static str>;

/// The size that copies added to some documents and that is still there. A copy operation of a few bytes can double a document, so copies are
/// counted; the documents are never measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct CopyBudget(usize);

impl CopyBudget {
    /// Credits a value that is about to leave a document.
    pub(crate) fn drop_value(&mut self, value: &Json<'_>) {
        if self.0 > 0 {
            self.0 = self.0.saturating_sub(size(value));
        }
    }
}

enum Undo<'p> {
    /// A value was put at a place, perhaps instead of another.
    Put {
        path: &'p str,
        before: Option<Json<'static>>,
    },
    Removed {
        path: &'p str,
        value: Json<'static>,
    },
    Moved {
        from: &'p str,
        path: &'p str,
        before: Option<Json<'static>>,
    },
}

impl Undo<'_> {
    fn gone(&self) -> Option<&Json<'static>> {
        match self {
            Self::Put { before, .. } | Self::Moved { before, .. } => before.as_ref(),
            Self::Removed { value, .. } => Some(value),
        }
    }
}

/// Applies operations to a document. If one fails, or the result does not satisfy the condition, the document stays unchanged.
pub(crate) fn apply<'p>(
    operations: &'p [Json<'p>],
    document: &mut Json<'static>,
    copied: &mut CopyBudget,
    accepts: fn(&Json<'_>) -> bool,
) -> Result<(), PatchError> {
    let mut patching = Patching {
        document,
        done: Vec::new(),
        to_copy: MAX_COPIED.saturating_sub(copied.0),
        to_look_at: MAX_COPIED,
        copied: 0,
    };
    let applied = patching.apply_all(operations, accepts);
    match applied {
        Ok(()) => patching.commit(copied),
        Err(_) => patching.undo(),
    }
    applied
}

struct Patching<'d, 'p> {
    document: &'d mut Json<'static>,
    done: Vec<Undo<'p>>,
    to_copy: usize,
    /// The number of values that may still be visited to measure depths.
    to_look_at: usize,
    copied: usize,
}

impl<'p> Patching<'_, 'p> {
    fn apply_all(&mut self, operations: &'p [Json<'p>], accepts: fn(&Json<'_>) -> bool) -> Result<(), PatchError> {
        for (operation, step) in operations.iter().enumerate() {
            // The enforcement step has refused or removed every other operation.
            if let Ok(step) = Operation::read(step) {
                self.apply(step).map_err(|reason| PatchError { operation, reason })?;
            }
        }
        if accepts(self.document) {
            return Ok(());
        }
        Err(PatchError { operation: operations.len().saturating_sub(1), reason: "it leaves no object" })
    }

    fn apply(&mut self, operation: Operation<'p>) -> Patched {
        let Operation { kind, path, from, value } = operation;
        match kind {
            OperationKind::Add => self.add(path, given(path, value)?),
            OperationKind::Remove => {
                let value = remove(self.document, path, present).ok_or(NO_SUCH_PLACE)?;
                self.done.push(Undo::Removed { path, value });
                Ok(())
            }
            OperationKind::Replace => {
                let value = given(path, value)?;
                let place = find_mut(self.document, path).ok_or(NO_SUCH_PLACE)?;
                let before = Some(mem::replace(place, value));
                self.done.push(Undo::Put { path, before });
                Ok(())
            }
            OperationKind::Move => self.move_value(from, path),
            OperationKind::Copy => {
                let (value, to_copy) = (find(self.document, from), self.to_copy);
                let value = value.ok_or(NO_SUCH_PLACE)?;
                check_depth(path, depth(value, &mut self.to_copy))?;
                let value = value.clone();
                self.copied += to_copy - self.to_copy;
                self.add(path, value)
            }
            OperationKind::Test => match find(self.document, path) {
                None => Err(NO_SUCH_PLACE),
                Some(found) if *found == value.clone().into_unique() => Ok(()),
                Some(_) => Err("the value is another"),
            },
        }
    }

    fn add(&mut self, path: &'p str, value: Json<'static>) -> Patched {
        let before = put(self.document, path, value).map_err(|_| NO_SUCH_PLACE)?;
        self.done.push(Undo::Put { path, before });
        Ok(())
    }

    fn move_value(&mut self, from: &'p str, path: &'p str) -> Patched {
        let value = find(self.document, from).ok_or(NO_SUCH_PLACE)?;
        match path.strip_prefix(from) {
            Some("") => return Ok(()),
            Some(rest) if rest.starts_with('/') => return Err("a value can't move into itself"),
            _ => {}
        }
        // A value can only exceed the depth limit if it moves to a deeper level.
        if levels(path) > levels(from) {
            check_depth(path, depth(value, &mut self.to_look_at))?;
        }
        let value = remove(self.document, from, present).ok_or(NO_SUCH_PLACE)?;
        match put(self.document, path, value) {
            Ok(before) => {
                self.done.push(Undo::Moved { from, path, before });
                Ok(())
            }
            Err(value) => {
                restore(self.document, from, Some(value));
                Err(NO_SUCH_PLACE)
            }
        }
    }

    fn commit(self, copied: &mut CopyBudget) {
        copied.0 += self.copied;
        for gone in self.done.iter().filter_map(Undo::gone) {
            copied.drop_value(gone);
        }
    }

    fn undo(self) {
        for done in self.done.into_iter().rev() {
            match done {
                Undo::Put { path, before } => {
                    take_back(self.document, path, before);
                }
                Undo::Removed { path, value } => restore(self.document, path, Some(value)),
                Undo::Moved { from, path, before } => {
                    let value = take_back(self.document, path, before);
                    restore(self.document, from, value);
                }
            }
        }
    }
}

/// A value of the patch itself, if it is not too deep for its place.
fn given(path: &str, value: &Json<'_>) -> Patched<Json<'static>> {
    let (value, mut unbounded) = (value.clone().into_unique(), usize::MAX);
    check_depth(path, depth(&value, &mut unbounded))?;
    Ok(value)
}

/// Fails if a value of that depth would be too deep at `path`. `None` means that the value was too large to measure.
fn check_depth(path: &str, depth: Option<usize>) -> Patched {
    let depth = depth.ok_or("it copies too much")?;
    if levels(path) + depth > MAX_DEPTH {
        return Err("it makes more than 127 levels");
    }
    Ok(())
}

/// The depth of nested containers. Subtracts the value's size from `left`, and returns `None` if `left` does not suffice.
fn depth(value: &Json<'_>, left: &mut usize) -> Option<usize> {
    let own = match value {
        Json::Text(text) => 1 + text.len(),
        Json::Object(members) => 1 + members.iter().map(|(key, _)| key.len()).sum::<usize>(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::List(_) => 1,
    };
    *left = left.checked_sub(own)?;
    let mut deepest = |most: usize, value: &Json<'_>| Some(most.max(1 + depth(value, left)?));
    match value {
        Json::List(items) => items.iter().try_fold(1, &mut deepest),
        Json::Object(members) => members.iter().try_fold(1, |most, (_, member)| deepest(most, member)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => Some(0),
    }
}

fn size(value: &Json<'_>) -> usize {
    let mut left = usize::MAX;
    depth(value, &mut left);
    usize::MAX - left
}
