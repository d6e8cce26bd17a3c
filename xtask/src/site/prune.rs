//! Takes out of the wasm what no browser runs and no linker can know to be dead.
//!
//! # Design
//! Every erased view and route carries a table of all that can be done with it, so the linker keeps even what nobody asks for: taking over
//! a page in asynchronous steps (for code that is loaded late, which we have none of), and listing routes. Together they are a twentieth of
//! the code. They are found by their names and emptied; wasm-bindgen then collects what only they used. Should the pages ever call one of them,
//! the build fails here instead of the page in the browser.
//!
//! The compiler merges functions of equal code under the name of one. None of these can stand for another: each is the step of an `async` block or
//! ends in a panic, which tells its own line, or does what nothing else does. Functions inside of them could, and are left alone.

use std::collections::HashSet;

use anyhow::{Context as _, Result, ensure};
use walrus::ir::{Call, Instr, InstrSeqId, Unreachable, Visitor, dfs_in_order};
use walrus::{FunctionId, FunctionKind, InstrLocId, Module, ModuleConfig};

/// The names of what is never run, as the compiler writes them; their closures belong to them.
const NEVER_RUN: [&str; 3] = ["13hydrate_async", "27new_with_async_value_erased", "15generate_routes"];
const CLOSURE: &str = "28_$u7b$$u7b$closure$u7d$$u7d$";
/// In the name of a function that passes a call through a table on to a closure: the table is the closure's own.
const SHIM: &str = "$u7b$$u7b$vtable.shim$u7d$$u7d$";
/// What comes before the hash at the end of a name.
const HASH: &str = "17h";

/// The module of a compiled wasm without what is never run.
pub(super) fn pruned(wasm: &[u8]) -> Result<Module> {
    // As wasm-bindgen reads it: what the compiler writes need not be checked again.
    let mut config = ModuleConfig::new();
    config.strict_validate(false).generate_name_section(false).generate_producers_section(false);
    let mut module = config.parse(wasm).context("the compiled browser half is no wasm")?;
    empty_never_run(&mut module)?;
    Ok(module)
}

fn empty_never_run(module: &mut Module) -> Result<()> {
    let never_run: HashSet<FunctionId> = module
        .funcs
        .iter_local()
        .map(|(id, _)| id)
        .filter(|id| module.funcs.get(*id).name.as_deref().is_some_and(is_never_run))
        .collect();
    let name = |id| module.funcs.get(id).name.as_deref().unwrap_or_default();
    for (id, function) in module.funcs.iter_local() {
        if never_run.contains(&id) || name(id).contains(SHIM) {
            continue;
        }
        let mut calls = Calls(Vec::new());
        dfs_in_order(&mut calls, function, function.entry_block());
        let called = calls.0.into_iter().find(|called| never_run.contains(called));
        ensure!(
            called.is_none(),
            "`{}` calls `{}`, which is taken out as something that never runs",
            name(id),
            called.map(name).unwrap_or_default()
        );
    }
    for id in never_run {
        if let FunctionKind::Local(function) = &mut module.funcs.get_mut(id).kind {
            let entry: InstrSeqId = function.entry_block();
            function.block_mut(entry).instrs = vec![(Instr::Unreachable(Unreachable {}), InstrLocId::default())];
        }
    }
    Ok(())
}

fn is_never_run(name: &str) -> bool {
    NEVER_RUN.iter().filter_map(|part| name.rsplit_once(part)).any(|(_, mut rest)| {
        while let Some(inside) = rest.strip_prefix(CLOSURE) {
            rest = inside;
        }
        rest.starts_with(HASH)
    })
}

/// Whom a function calls by name, so to speak: not through a table.
struct Calls(Vec<FunctionId>);

impl Visitor<'_> for Calls {
    fn visit_call(&mut self, call: &Call) {
        self.0.push(call.func);
    }
}

#[cfg(test)]
mod tests {
    use walrus::{FunctionBuilder, ValType};

    use super::*;

    const DEAD: &str = "_ZN8into_any13hydrate_async28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE";
    const ALIVE: &str = "_ZN8into_any5build17h0123456789abcdefE";

    /// A module whose one exported function `main` calls another, beside one that nobody calls.
    fn module(callee: &str) -> Module {
        let mut module = Module::with_config(ModuleConfig::new());
        let mut function = |name: &str, calls: Option<FunctionId>| {
            let mut builder = FunctionBuilder::new(&mut module.types, &[], &[ValType::I32]);
            builder.name(name.to_owned());
            match calls {
                Some(id) => builder.func_body().call(id),
                None => builder.func_body().i32_const(7),
            };
            builder.finish(Vec::new(), &mut module.funcs)
        };
        let (dead, alive) = (function(DEAD, None), function(ALIVE, None));
        let main = function("main", Some(if callee == DEAD { dead } else { alive }));
        module.exports.add("main", main);
        module
    }

    fn instructions(module: &Module, name: &str) -> Vec<String> {
        let id = module.funcs.by_name(name).expect("a function of the module");
        let function = module.funcs.get(id).kind.unwrap_local();
        function.block(function.entry_block()).instrs.iter().map(|(instr, _)| format!("{instr:?}")).collect()
    }

    #[test]
    fn what_never_runs_is_emptied_and_nothing_else() {
        let mut module = module(ALIVE);
        let alive = instructions(&module, ALIVE);
        empty_never_run(&mut module).expect("nobody calls it");
        assert_eq!(instructions(&module, DEAD), ["Unreachable(Unreachable)"]);
        assert_eq!(instructions(&module, ALIVE), alive);
    }

    #[test]
    fn what_is_called_after_all_fails_the_build() {
        let error = empty_never_run(&mut module(DEAD)).expect_err("main calls it");
        assert!(error.to_string().starts_with(&format!("`main` calls `{DEAD}`")), "{error}");
    }

    #[test]
    fn helpers_inside_are_left_alone() {
        assert!(is_never_run(DEAD));
        assert!(is_never_run("_ZN8into_any13hydrate_async17h0123456789abcdefE.12"));
        for name in [
            ALIVE,
            "_ZN8into_any13hydrate_async28_$u7b$$u7b$closure$u7d$$u7d$4prep17h0123456789abcdefE",
            "_ZN4core3ptr50drop_in_place$LT$any..hydrate_async..$u7b$$u7b$closure$u7d$$u7d$$GT$17h0123456789abcdefE",
            "_ZN15generate_routes5inner17h0123456789abcdefE",
        ] {
            assert!(!is_never_run(name), "{name}");
        }
    }
}
