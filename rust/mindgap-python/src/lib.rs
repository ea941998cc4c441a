//! The binding: convert, release the interpreter, call, convert back.
