//! The members of an object, with a tree of the standard library as the oracle.

use json_tree::{Json, Members};
use proptest::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;

proptest! {
    #[test]
    fn members_find_what_a_tree_finds(steps in prop::collection::vec((0..3_u8, 0..60_usize), 0..600)) {
        let (mut members, mut tree) = (Members::new(), BTreeMap::<String, Json<'_>>::new());
        for (step, number) in steps {
            let name = format!("m{number}");
            match step {
                0 => prop_assert_eq!(members.take(&name), tree.remove(&name)),
                _ => prop_assert_eq!(members.put(&name, number.into()), tree.insert(name.clone(), number.into())),
            }
            prop_assert_eq!(members.find(&name), tree.get(&name));
            prop_assert_eq!(members.len(), tree.len());
        }
        for number in 0..60 {
            let name = format!("m{number}");
            prop_assert_eq!(members.find(&name), tree.get(&name));
        }
        let sorted: Members<'_> = tree.into_iter().map(|(name, number)| (name.into(), number)).collect();
        prop_assert_eq!(members, sorted);
    }

    #[test]
    fn a_name_that_comes_twice_keeps_its_last_value(names in prop::collection::vec(0..40_usize, 0..60)) {
        let named = |(at, name): (usize, &usize)| (format!("m{name}").into(), at.into());
        let mut members: Members<'_> = names.iter().enumerate().map(named).collect();
        let last: BTreeMap<Cow<'_, str>, Json<'_>> = members.iter().cloned().collect();
        let is_repeated = |members: &Members<'static>| Json::Object(members.clone()).repeated_key().is_some();
        prop_assert_eq!(is_repeated(&members), last.len() < members.len());
        members.unique();
        prop_assert!(!is_repeated(&members));
        prop_assert!(members.len() == last.len() && last.iter().all(|(name, at)| members.find(name) == Some(at)));
    }
}
