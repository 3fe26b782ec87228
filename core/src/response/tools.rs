//! Tool calls, joined from their parts: several may arrive at once, each part between those of other calls.

use super::error::Fault;
use super::reading::{Arguments, Slot, ToolPart};

/// A tool call that the model requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// By which its result is sent back.
    pub id: Option<String>,
    /// The tool; empty where the call came without a name.
    pub name: String,
    /// Its arguments, as JSON; empty without any.
    pub arguments: String,
}

#[derive(Clone, Debug)]
struct Pending {
    slot: Slot,
    call: ToolCall,
    reported: bool,
}

/// The calls of one answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls(Vec<Pending>);

/// The result of a part: the name of its call's tool, empty for none, and whether the call is new.
pub(super) struct Taken {
    pub(super) name: String,
    pub(super) new: bool,
}

impl Calls {
    /// Puts a part where it belongs.
    pub(super) fn take(&mut self, part: ToolPart) -> Taken {
        let known = self.0.iter_mut().rev().find(|pending| belongs(pending, &part));
        let pending = match known {
            Some(pending) => pending,
            None => {
                self.0.push(Pending { slot: part.slot, call: ToolCall::default(), reported: false });
                match self.0.last_mut() {
                    Some(pending) => pending,
                    None => return Taken { name: String::new(), new: false },
                }
            }
        };
        let call = &mut pending.call;
        if let Some(name) = part.name.filter(|name| !name.is_empty()) {
            call.name = name;
        }
        if part.id.is_some() {
            call.id = part.id;
        }
        match part.arguments {
            Some(Arguments::Piece(piece)) => call.arguments.push_str(&piece),
            Some(Arguments::Whole(whole)) => call.arguments = whole,
            None => {}
        }
        // A call is reported when its name has arrived.
        let new = !pending.reported && !call.name.is_empty();
        let name = call.name.clone();
        pending.reported |= new;
        Taken { name, new }
    }

    /// The tool of the call with that id.
    pub(super) fn name_of(&self, id: &str) -> Option<&str> {
        let pending = self.0.iter().rev().find(|pending| pending.call.id.as_deref() == Some(id))?;
        Some(pending.call.name.as_str()).filter(|name| !name.is_empty())
    }

    /// The calls so far, in the order in which they began.
    pub(super) fn all(&self) -> Vec<ToolCall> {
        self.0.iter().map(|pending| pending.call.clone()).collect()
    }

    /// The first call whose arguments are not JSON: a model can write such, and no SDK reports it.
    pub(super) fn fault(&self, is_json: impl Fn(&str) -> bool) -> Option<Fault> {
        let mut calls = self.0.iter().map(|pending| &pending.call);
        let broken = calls.find(|call| !call.arguments.trim().is_empty() && !is_json(&call.arguments))?;
        Some(not_json(broken, "a text that is not JSON"))
    }

    /// As [`Calls::fault`], for an answer that the limit of tokens cut off: the last call may have no arguments because they
    /// did not come.
    pub(super) fn fault_of_cut(&self, is_json: impl Fn(&str) -> bool) -> Option<Fault> {
        self.fault(is_json).or_else(|| {
            let last = self.0.last().filter(|pending| pending.call.arguments.trim().is_empty())?;
            Some(not_json(&last.call, "nothing before the limit of tokens"))
        })
    }
}

fn not_json(call: &ToolCall, got: &str) -> Fault {
    let whose = if call.name.is_empty() { "a tool".to_owned() } else { format!("tool '{}'", call.name) };
    Fault::malformed(format!("arguments of {whose} as JSON"), got)
}

/// Returns `true` if the part continues that call. Some servers number all parallel calls 0, so only their ids
/// distinguish them.
fn belongs(pending: &Pending, part: &ToolPart) -> bool {
    if part.slot == Slot::Whole || pending.slot != part.slot {
        return false;
    }
    match (&pending.call.id, &part.id) {
        (Some(known), Some(id)) => known == id || part.name.is_none(),
        _ => true,
    }
}
