//! Puts mutants into a Rust file behind switches, so that one build has all of them: `a < b` becomes
//! `(if crate::mutant(7) { a <= b } else { a < b })`.
//!
//! Reads `{ source, mutants }` from standard input; the mutants are those of `cargo mutants --list --json`, each with
//! an `id`. Writes `{ source, regions }`: the regions say where each mutant is in the new text, in bytes, for errors of
//! the compiler, and whether that is in a function that the compiler may run, where every switch is off. A mutant
//! without a region cannot be switched; the `unviable` do not compile at all: `||` beside `let`.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

#[derive(Deserialize)]
struct Input {
    source: String,
    mutants: Vec<Mutant>,
}

#[derive(Deserialize)]
struct Mutant {
    id: u32,
    genre: String,
    replacement: String,
    span: Span,
}

#[derive(Deserialize)]
struct Span {
    start: Position,
}

/// Both counted from 1, columns in characters.
#[derive(Deserialize)]
struct Position {
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Output {
    source: String,
    regions: Vec<Region>,
    unviable: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    id: u32,
    in_const_fn: bool,
    start: usize,
    end: usize,
}

struct Insertion {
    at: usize,
    /// Ends come before beginnings at the same position. The inner part ends first, the outer part begins first.
    order: (bool, Reverse<usize>),
    text: String,
    mutant: Option<u32>,
    in_const_fn: bool,
}

struct Switches<'a> {
    source: &'a str,
    lines: Vec<usize>,
    mutants: &'a [Mutant],
    insertions: Vec<Insertion>,
    in_const_fn: bool,
    in_constant: bool,
    unviable: Vec<u32>,
}

impl<'a> Switches<'a> {
    fn offset(&self, line: usize, column: usize) -> usize {
        let start = self.lines[line - 1];
        let rest = &self.source[start..];
        start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
    }

    fn range(&self, spanned: &impl Spanned) -> (usize, usize) {
        let (start, end) = (spanned.span().start(), spanned.span().end());
        (self.offset(start.line, start.column), self.offset(end.line, end.column))
    }

    /// The mutants of a kind whose span begins there.
    fn at(&self, at: usize, genre: &str) -> Vec<&'a Mutant> {
        let begins = |mutant: &&Mutant| {
            let Position { line, column } = mutant.span.start;
            mutant.genre == genre && self.offset(line, column - 1) == at
        };
        if self.in_constant { Vec::new() } else { self.mutants.iter().filter(begins).collect() }
    }

    fn begin(&mut self, (start, end): (usize, usize), text: String, mutant: Option<u32>) {
        let (order, in_const_fn) = ((true, Reverse(end)), self.in_const_fn);
        self.insertions.push(Insertion { at: start, order, text, mutant, in_const_fn });
    }

    fn end(&mut self, (start, end): (usize, usize), text: &str) {
        self.insertions.push(Insertion {
            at: end,
            order: (false, Reverse(start)),
            text: text.into(),
            mutant: None,
            in_const_fn: self.in_const_fn,
        });
    }

    /// `(if crate::mutant(7) { changed } else { as it is })`.
    fn choose(&mut self, range: (usize, usize), mutant: u32, changed: &str) {
        self.begin(range, format!("(if crate::mutant({mutant}) {{ {changed} }} else {{ "), Some(mutant));
        self.end(range, " })");
    }

    /// An arm whose guard does not hold is as good as none.
    fn delete(&mut self, arm: &'a syn::Arm) {
        let (_, end) = self.range(&arm.pat);
        for mutant in self.at(self.range(arm).0, "MatchArm") {
            let id = mutant.id;
            match &arm.guard {
                None => self.begin((end, end), format!(" if !crate::mutant({id})"), Some(id)),
                Some((_, guard)) if !has_let(guard) => self.choose(self.range(&**guard), id, "false"),
                Some(_) => {}
            }
        }
    }

    fn function(
        &mut self,
        signature: &'a syn::Signature,
        body: &'a syn::Block,
        visit: impl FnOnce(&mut Self),
    ) {
        let before = self.in_const_fn;
        self.in_const_fn = signature.constness.is_some();
        if let Some(first) = body.stmts.first()
            && !returns_impl(&signature.output)
        {
            let (start, _) = self.range(first);
            for mutant in self.at(start, "FnValue") {
                let (id, value) = (mutant.id, &mutant.replacement);
                let text = format!("if crate::mutant({id}) {{ return {value}; }} ");
                self.begin((start, self.source.len()), text, Some(id));
            }
        }
        visit(self);
        self.in_const_fn = before;
    }

    /// A constant has no switch, because only the compiler evaluates it.
    fn constant(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = self.in_constant;
        self.in_constant = true;
        visit(self);
        self.in_constant = before;
    }
}

impl<'a> Visit<'a> for Switches<'a> {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.function(&item.sig, &item.block, |all| visit::visit_item_fn(all, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.function(&item.sig, &item.block, |all| visit::visit_impl_item_fn(all, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig, body, |all| visit::visit_trait_item_fn(all, item));
        }
    }

    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.constant(|all| visit::visit_item_const(all, item));
    }

    fn visit_impl_item_const(&mut self, item: &'a syn::ImplItemConst) {
        self.constant(|all| visit::visit_impl_item_const(all, item));
    }

    fn visit_item_static(&mut self, item: &'a syn::ItemStatic) {
        self.constant(|all| visit::visit_item_static(all, item));
    }

    fn visit_type_array(&mut self, array: &'a syn::TypeArray) {
        self.visit_type(&array.elem);
        self.constant(|all| all.visit_expr(&array.len));
    }

    fn visit_expr_repeat(&mut self, repeated: &'a syn::ExprRepeat) {
        self.visit_expr(&repeated.expr);
        self.constant(|all| all.visit_expr(&repeated.len));
    }

    fn visit_expr_binary(&mut self, binary: &'a syn::ExprBinary) {
        let (range, operator) = (self.range(binary), self.range(&binary.op));
        let beside_let = has_let(&binary.left) || has_let(&binary.right);
        for mutant in self.at(operator.0, "BinaryOperator") {
            if beside_let {
                self.unviable.push(mutant.id);
            } else {
                let (left, right) = (&self.source[range.0..operator.0], &self.source[operator.1..range.1]);
                self.choose(range, mutant.id, &format!("{left}{}{right}", mutant.replacement));
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'a syn::ExprUnary) {
        let range = self.range(unary);
        for mutant in self.at(range.0, "UnaryOperator") {
            self.choose(range, mutant.id, &self.source[self.range(&unary.op).1..range.1]);
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_match(&mut self, expression: &'a syn::ExprMatch) {
        let takes_all =
            |arm: &syn::Arm| arm.guard.is_none() && matches!(arm.pat, syn::Pat::Wild(_) | syn::Pat::Ident(_));
        // An arm with a guard covers nothing: the compiler wants another one that does.
        let deletable = expression.arms.iter().position(takes_all).unwrap_or_default();
        for arm in &expression.arms[..deletable] {
            self.delete(arm);
        }
        visit::visit_expr_match(self, expression);
    }

    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        if let Some((_, guard)) = &arm.guard
            && !has_let(guard)
        {
            let range = self.range(&**guard);
            for mutant in self.at(range.0, "MatchArmGuard") {
                self.choose(range, mutant.id, &mutant.replacement);
            }
        }
        visit::visit_arm(self, arm);
    }
}

fn has_let(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// A function that returns `impl Trait` returns one type.
fn returns_impl(output: &syn::ReturnType) -> bool {
    struct Impl(bool);
    impl<'a> Visit<'a> for Impl {
        fn visit_type_impl_trait(&mut self, _: &'a syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut found = Impl(false);
    found.visit_return_type(output);
    found.0
}

fn main() {
    let input: Input = serde_json::from_reader(std::io::stdin()).expect("the input");
    let file = syn::parse_file(&input.source).expect("Rust");
    let lines = std::iter::once(0).chain(input.source.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut switches = Switches {
        source: &input.source,
        lines,
        mutants: &input.mutants,
        insertions: Vec::new(),
        in_const_fn: false,
        in_constant: false,
        unviable: Vec::new(),
    };
    switches.visit_file(&file);
    let Switches { mut insertions, unviable, .. } = switches;
    insertions.sort_by_key(|insertion| (insertion.at, insertion.order));
    let (mut source, mut regions, mut done) = (String::new(), Vec::new(), 0);
    for insertion in &insertions {
        source.push_str(&input.source[done..insertion.at]);
        let start = source.len();
        source.push_str(&insertion.text);
        if let Some(id) = insertion.mutant {
            regions.push(Region { id, in_const_fn: insertion.in_const_fn, start, end: source.len() });
        }
        done = insertion.at;
    }
    source.push_str(&input.source[done..]);
    serde_json::to_writer(std::io::stdout(), &Output { source, regions, unviable }).expect("written");
}
