//! Objects whose members are sorted by name, each there once. Finding one takes few steps, whatever the object holds, so that nobody can send
//! one that is slow.

use crate::{Json, Members};
use std::mem;

impl Json<'_> {
    /// A copy that borrows nothing, in which the members of each object are sorted by name. A name that comes twice keeps its last value.
    #[must_use]
    pub fn into_sorted(self) -> Json<'static> {
        let mut json = self.into_static();
        json.sort();
        json
    }

    /// Sorts the members of each object by name. A name that comes twice keeps its last value.
    pub fn sort(&mut self) {
        match self {
            Self::List(items) => items.iter_mut().for_each(Json::sort),
            Self::Object(members) => {
                members.iter_mut().for_each(|(_, member)| member.sort());
                if !members.is_sorted_by(|one, next| one.0 < next.0) {
                    sort(members);
                }
            }
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => {}
        }
    }
}

fn sort(members: &mut Members<'_>) {
    let mut places = Vec::new();
    let mut next = None;
    for (name, place) in names(members).into_iter().rev() {
        if next != Some(name) {
            places.push(place);
        }
        next = Some(name);
    }
    let mut sorted = Members::new();
    for place in places.into_iter().rev() {
        sorted.push(mem::take(&mut members[place]));
    }
    *members = sorted;
}

/// The names of members in order, each with its place; a name that comes twice, in the order of the places. (The standard library's ways of
/// sorting are five times the code of this heap.)
pub(crate) fn names<'m>(members: &'m Members<'_>) -> Vec<(&'m str, usize)> {
    let mut names: Vec<(&str, usize)> = members.iter().enumerate().map(|(place, (name, _))| (&**name, place)).collect();
    for root in (0..names.len() / 2).rev() {
        sift(&mut names, root);
    }
    for end in (1..names.len()).rev() {
        names.swap(0, end);
        sift(&mut names[..end], 0);
    }
    names
}

/// Lets a name sink to below all that are greater.
fn sift(names: &mut [(&str, usize)], mut root: usize) {
    loop {
        let mut child = 2 * root + 1;
        if names.get(child + 1).is_some_and(|other| names[child] < *other) {
            child += 1;
        }
        if names.get(child).is_none_or(|child| *child < names[root]) {
            return;
        }
        names.swap(root, child);
        root = child;
    }
}

/// Where the member of a name is, or would be.
fn place(members: &Members<'_>, name: &str) -> Result<usize, usize> {
    members.binary_search_by(|(it, _)| (**it).cmp(name))
}

/// The member of a name.
#[must_use]
pub fn get<'m, 'a>(members: &'m Members<'a>, name: &str) -> Option<&'m Json<'a>> {
    place(members, name).ok().map(|place| &members[place].1)
}

/// As [`get`], to be changed.
#[must_use]
pub fn get_mut<'m, 'a>(members: &'m mut Members<'a>, name: &str) -> Option<&'m mut Json<'a>> {
    place(members, name).ok().map(|place| &mut members[place].1)
}

/// Puts a member, and gives the one that it replaced.
pub fn insert<'a>(members: &mut Members<'a>, name: &str, member: Json<'a>) -> Option<Json<'a>> {
    match place(members, name) {
        Ok(place) => Some(mem::replace(&mut members[place].1, member)),
        Err(place) => {
            members.insert(place, (name.to_owned().into(), member));
            None
        }
    }
}

/// Takes a member out.
pub fn remove<'a>(members: &mut Members<'a>, name: &str) -> Option<Json<'a>> {
    place(members, name).ok().map(|place| members.remove(place).1)
}
