//! The imports between the files of a crate, and the faults in them.
//!
//! A file depends on the file that *defines* the item it names: `use super::Breaker` leads to the file from which the
//! parent takes `Breaker`, and a parent that only re-exports its children has no dependencies.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::visit::Visit;

/// The rules for the imports of a crate.
pub(crate) struct Rules {
    /// The folder of its sources.
    pub(crate) src: &'static str,
    /// Its folders and files, lowest first. Those of one row do not know each other.
    pub(crate) layers: &'static [&'static [&'static str]],
    /// Imports that break a rule and are to go. An entry that is needed no more is a fault, so the list only shrinks.
    pub(crate) to_go: &'static [(&'static str, &'static str)],
}

impl Rules {
    /// Imports that lead upward, or to a folder of the same layer.
    pub(crate) fn upward(&self) -> Vec<String> {
        let leads_up = |(from, to): &(String, String)| {
            top(from) != top(to) && self.layer(to) >= self.layer(from) && !self.is_to_go(from, to)
        };
        self.edges().iter().filter(|edge| leads_up(edge)).map(arrow).collect()
    }

    /// Imports that lie on a circle.
    pub(crate) fn circles(&self) -> Vec<String> {
        let edges = self.edges();
        let mut graph: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (from, to) in &edges {
            if !self.is_to_go(from, to) {
                graph.entry(from.clone()).or_default().push(to.clone());
            }
        }
        let on_circle = |(from, to): &(String, String)| {
            graph.get(from).is_some_and(|targets| targets.contains(to))
                && reachable(to, &graph).contains(from)
        };
        edges.iter().filter(|edge| on_circle(edge)).map(arrow).collect()
    }

    /// Exceptions that no import needs.
    pub(crate) fn unneeded(&self) -> Vec<(&str, &str)> {
        let edges = self.edges();
        let is_needed = |(from, to): (&str, &str)| edges.contains(&(from.into(), to.into()));
        self.to_go.iter().copied().filter(|&exception| !is_needed(exception)).collect()
    }

    /// Files of no layer.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let modules = Crate::read(self.src).modules.into_keys();
        let named = modules.filter(|path| !path.is_empty()).map(|path| path.join("::"));
        named.filter(|path| self.find_layer(path).is_none()).collect()
    }

    fn is_to_go(&self, from: &str, to: &str) -> bool {
        self.to_go.contains(&(from, to))
    }

    fn layer(&self, module: &str) -> usize {
        self.find_layer(module).unwrap_or_else(|| panic!("{module} has no layer"))
    }

    fn find_layer(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.contains(&top(module)))
    }

    /// Returns the dependencies between modules, such as `policy::engine`. The root only re-exports.
    fn edges(&self) -> BTreeSet<(String, String)> {
        let krate = Crate::read(self.src);
        let mut edges = BTreeSet::new();
        for (path, module) in krate.modules.iter().filter(|(path, _)| !path.is_empty()) {
            for used in &module.used {
                if let Some(target) = krate.home_of(path, used)
                    && target != *path
                    && !target.is_empty()
                {
                    edges.insert((path.join("::"), target.join("::")));
                }
            }
        }
        edges
    }
}

fn arrow((from, to): &(String, String)) -> String {
    format!("{from} -> {to}")
}

fn top(module: &str) -> &str {
    module.split("::").next().unwrap()
}

/// All that a module needs, directly or through others.
fn reachable(module: &str, graph: &BTreeMap<String, Vec<String>>) -> BTreeSet<String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![module.to_owned()]);
    while let Some(next) = open.pop() {
        open.extend(
            graph.get(&next).into_iter().flatten().filter(|other| seen.insert((*other).clone())).cloned(),
        );
    }
    seen
}

/// A path of names: of a module from the crate's root, or as it is written somewhere.
type Names = Vec<String>;

#[derive(Default)]
struct Module {
    /// The meaning of each name that a `use` brings in.
    bindings: BTreeMap<String, Names>,
    /// The paths that its code names.
    used: BTreeSet<Names>,
}

struct Crate {
    modules: BTreeMap<Names, Module>,
}

impl Crate {
    fn read(src: &str) -> Self {
        let mut modules = BTreeMap::new();
        read_folder(Path::new(src), &[], &mut modules);
        Self { modules }
    }

    /// The module that defines what a path leads to, as code within `module` reads it; none for what other crates
    /// define.
    fn home_of(&self, module: &[String], path: &[String]) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        let is_module = self.modules.contains_key(&child(module, first));
        match self.modules.get(module)?.bindings.get(first) {
            // A module and a function of one name: only the module leads on.
            Some(target) if !is_module || rest.is_empty() => {
                self.home_of_import(module, &target.iter().chain(rest).cloned().collect::<Names>())
            }
            _ => self.home_of_import(module, path),
        }
    }

    /// The same, as a `use` within `module` reads the path: its first name is a module, or another crate's.
    fn home_of_import(&self, module: &[String], path: &[String]) -> Option<Names> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => vec![],
            "self" => module.to_vec(),
            "super" => module.split_last()?.1.to_vec(),
            name => Some(child(module, name)).filter(|path| self.modules.contains_key(path))?,
        };
        while let Some((name, after)) = rest.split_first() {
            let is_module = self.modules.contains_key(&child(&at, name));
            match self.modules.get(&at)?.bindings.get(name) {
                Some(target) if !is_module || after.is_empty() => {
                    return self.home_of_import(&at, &target.iter().chain(after).cloned().collect::<Names>());
                }
                _ if name == "super" => drop(at.pop()),
                _ if is_module => at.push(name.clone()),
                _ => break,
            }
            rest = after;
        }
        Some(at)
    }
}

fn child(module: &[String], name: &str) -> Names {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

fn read_folder(folder: &Path, path: &[String], modules: &mut BTreeMap<Names, Module>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let file = entry.path();
        let name = file.file_stem().unwrap().to_str().unwrap();
        if file.is_dir() {
            read_folder(&file, &child(path, name), modules);
        } else if file.extension().is_some_and(|extension| extension == "rs") && name != "tests" {
            let path = if matches!(name, "lib" | "main" | "mod") { path.to_vec() } else { child(path, name) };
            let parsed = syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap();
            let mut module = Module::default();
            Reader(&mut module).visit_file(&parsed);
            modules.insert(path, module);
        }
    }
}

/// Collects the imports and the paths of a file.
struct Reader<'a>(&'a mut Module);

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_some() && !is_for_tests(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if is_for_tests(&item.attrs) {
            return;
        }
        let is_private = matches!(item.vis, syn::Visibility::Inherited);
        bring_in(&item.tree, &mut Vec::new(), &mut |name, path| {
            if is_private || name == "*" {
                self.0.used.insert(path.clone());
            }
            self.0.bindings.insert(name, path);
        });
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.used.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.paths_of(called.tokens.clone());
    }

    /// `pub(super)` needs nothing of the parent.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

impl Reader<'_> {
    /// Collects anything in a macro's tokens that could be a path.
    fn paths_of(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Names::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.0.used.insert(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                other => {
                    self.0.used.insert(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.paths_of(group.stream());
                    }
                }
            }
        }
        self.0.used.insert(path);
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

fn bring_in(tree: &syn::UseTree, before: &mut Names, found: &mut impl FnMut(String, Names)) {
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            bring_in(&path.tree, before, found);
            before.pop();
        }
        syn::UseTree::Name(name) => {
            let name = name.ident.to_string();
            if name == "self" {
                found(before.last().unwrap().clone(), before.clone());
            } else {
                found(name.clone(), child(before, &name));
            }
        }
        syn::UseTree::Rename(rename) => {
            found(rename.rename.to_string(), child(before, &rename.ident.to_string()));
        }
        syn::UseTree::Glob(_) => found("*".into(), before.clone()),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                bring_in(tree, before, found);
            }
        }
    }
}
