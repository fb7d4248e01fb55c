//! Patches apply whole or not at all.

use super::{json, law, patch};
use ag_ui_stream::patch::apply;
use json_tree::Json;
use proptest::prelude::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_patch_that_fails_changes_nothing() {
    law(1000, &(json(), patch()), |(document, mut operations)| {
        operations.push(json!({"op": "test", "path": "/not/there", "value": 1}));
        let mut patched = Json::from(&document);
        prop_assert!(apply(Json::from(operations).as_list().unwrap(), &mut patched).is_err());
        prop_assert_eq!(patched, document);
        Ok(())
    });
}
