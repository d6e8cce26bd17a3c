//! The `loggia` program: reads its command line and runs it.

use std::process::ExitCode;

fn main() -> ExitCode {
    loggia::cli::main()
}
