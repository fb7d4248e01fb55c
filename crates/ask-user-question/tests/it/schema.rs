//! Schema and code give the same verdict, so that what the model is told and what it is held to cannot drift apart.
//! The crate's extra rules have codes of their own and are left out.

use crate::generate::{any_json, ask_like_json, config};
use ask_user_question::limits::ExtraMember;
use ask_user_question::tool::tool_definition;
use ask_user_question::validate::validate;
use ask_user_question::{Limits, examples};
use boon::{Compiler, SchemaIndex, Schemas};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use question_compat::repair;
use serde_json::Value;
use std::cell::Cell;

#[test]
fn schema_and_code_agree_on_generated_asks() {
    for (limits, schema) in profiles() {
        let (valid, invalid) = (Cell::new(0), Cell::new(0));
        let cases = ProptestConfig { cases: 400, ..config() };
        let inputs = prop_oneof![20 => ask_like_json(), 1 => any_json()];
        TestRunner::new(cases)
            .run(&inputs, |input| {
                let (repaired, _) = repair(input.clone());
                for ask in [input, repaired.into_value()] {
                    let verdict = agreed(&limits, &schema, &ask)?;
                    let count = if verdict { &valid } else { &invalid };
                    count.set(count.get() + 1);
                }
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{limits:?}: {error}"));
        // A comparison in which one verdict hardly comes up would show nothing.
        assert!(valid.get() > 50 && invalid.get() > 50, "{limits:?}: {valid:?} valid, {invalid:?} invalid");
    }
}

#[test]
fn schema_and_code_agree_on_the_examples() {
    for (limits, schema) in profiles() {
        for example in examples::all() {
            let (repaired, _) = repair(example.ask.clone());
            for ask in [example.ask, repaired.into_value()] {
                agreed(&limits, &schema, &ask).unwrap_or_else(|error| panic!("{}: {error}", example.name));
            }
        }
    }
}

fn profiles() -> Vec<(Limits, Schema)> {
    let custom = Limits::RUNTIME
        .with_questions(1..=3)
        .with_options(0..=3)
        .with_header_required(true)
        .with_header_max(Some(9))
        .with(ExtraMember::Preview);
    let inputs = Limits::RUNTIME.with(ExtraMember::Input).with(ExtraMember::ShowIf).with(ExtraMember::Value);
    [Limits::RUNTIME, Limits::CODING, Limits::CHAT, Limits::CODING.with(ExtraMember::Preview), custom, inputs]
        .into_iter()
        .map(|limits| {
            let schema: Value = tool_definition(&limits).parameters.into_value();
            (limits, Schema::of(schema))
        })
        .collect()
}

/// The verdict of both, or an error that shows where they differ.
fn agreed(limits: &Limits, schema: &Schema, ask: &Value) -> Result<bool, TestCaseError> {
    let violations = validate(limits, ask);
    let by_code = !violations.iter().any(|violation| violation.code.is_schema_rule());
    let by_schema = schema.is_valid(ask);
    prop_assert_eq!(by_code, by_schema, "{}\n{:?}", ask, violations);
    Ok(by_code)
}

/// A JSON Schema, to be asked.
struct Schema {
    compiled: Schemas,
    index: SchemaIndex,
}

impl Schema {
    fn of(schema: Value) -> Self {
        const NAME: &str = "urn:ask";
        let mut compiler = Compiler::new();
        compiler.add_resource(NAME, schema).unwrap();
        let mut compiled = Schemas::new();
        let index = compiler.compile(NAME, &mut compiled).unwrap();
        Self { compiled, index }
    }

    fn is_valid(&self, value: &Value) -> bool {
        self.compiled.validate(value, self.index).is_ok()
    }
}
