//! Patches apply whole or not at all.

use super::{json, law, patch, patched};
use json_tree::Json;
use proptest::prelude::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_patch_that_fails_changes_nothing() {
    law(1000, &(json(), patch()), |(document, mut operations)| {
        operations.push(json!({"op": "test", "path": "/not/there", "value": 1}));
        prop_assert_eq!(patched(&document, operations), (false, Json::from(&document)));
        Ok(())
    });
}
