//! Every example runs, and its assertions hold.

use std::error::Error;
use std::fs;
use std::path::Path;

#[path = "../../examples/choosing_k.rs"]
mod choosing_k;
#[path = "../../examples/constrained_kmeans.rs"]
mod constrained_kmeans;
#[path = "../../examples/larger_than_memory.rs"]
mod larger_than_memory;
#[path = "../../examples/mixture.rs"]
mod mixture;
#[path = "../../examples/own_constraint.rs"]
mod own_constraint;
#[path = "../../examples/own_engine.rs"]
mod own_engine;
#[path = "../../examples/own_initializer.rs"]
mod own_initializer;

type Main = fn() -> Result<(), Box<dyn Error>>;

const EXAMPLES: [(&str, Main); 7] = [
    ("choosing_k.rs", choosing_k::main),
    ("constrained_kmeans.rs", constrained_kmeans::main),
    ("larger_than_memory.rs", larger_than_memory::main),
    ("mixture.rs", mixture::main),
    ("own_constraint.rs", own_constraint::main),
    ("own_engine.rs", own_engine::main),
    ("own_initializer.rs", own_initializer::main),
];

#[test]
fn every_example_runs() {
    for (name, main) in EXAMPLES {
        main().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn no_example_is_left_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut found: Vec<String> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, EXAMPLES.map(|(name, _)| name));
}
