//! The crate's tests through its public interface. They are one program: each further one would be linked on its own.

mod arbitrary;
mod blocks;
mod certificate;
mod chunked;
mod climbing;
mod each_row;
mod engines;
mod examples;
mod found_by_arbitrary_input;
mod free_centers;
mod hostile;
mod initializers;
mod intervals;
mod mixture;
mod mixture_ends;
mod mixture_hostile;
mod mixture_results;
mod mixture_spreads;
mod nypans;
mod oracle;
mod own_parts;
mod paper;
mod properties;
mod rows;
mod separated;
#[cfg(feature = "serde")]
mod serialised;
mod settings;
mod sized;
mod thread_safety;
mod unconstrained;
