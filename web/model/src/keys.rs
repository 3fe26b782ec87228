//! The table of keys and their actions. The sheet of keys shows it, and `web/src/keys.rs` performs the actions.

/// The action of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    GoToView,
    Filter,
    Step,
    Fold,
    Close,
    Zoom,
    MoveInTime,
    ShowAll,
    Follow,
    Pause,
    Clear,
    Undo,
    OpenFile,
    SaveEvents,
    SaveReport,
    SaveTrace,
    ShowTest,
    Demonstrate,
    ChangeTheme,
    ShowKeys,
}

/// A row of the table.
pub struct Shortcut {
    /// The keys as in `KeyboardEvent.key`.
    pub keys: &'static [&'static str],
    /// The keys as the sheet shows them.
    pub shown: &'static str,
    /// The sheet's text for them.
    pub says: &'static str,
    pub action: Action,
}

const fn row(
    keys: &'static [&'static str],
    shown: &'static str,
    says: &'static str,
    action: Action,
) -> Shortcut {
    Shortcut { keys, shown, says, action }
}

pub const SHORTCUTS: &[Shortcut] = &[
    row(&["1", "2", "3", "4", "5", "6", "7", "8", "9"], "1 … 9", "go to a view", Action::GoToView),
    row(&["/"], "/", "filter; Enter leaves its field", Action::Filter),
    row(
        &["ArrowUp", "ArrowDown", "k", "j"],
        "↑ ↓  or  k j",
        "previous call, next call, with its details; of swimlanes, Enter opens one",
        Action::Step,
    ),
    row(&["n"], "n", "fold, or show, the calls within the selected call", Action::Fold),
    row(&["Escape"], "Esc", "close, or clear the filter and leave its field", Action::Close),
    row(&["+", "=", "-", "−"], "+ −", "zoom in, zoom out", Action::Zoom),
    row(&["ArrowLeft", "ArrowRight", "h", "l"], "← →  or  h l", "earlier, later", Action::MoveInTime),
    row(&["0"], "0", "show everything", Action::ShowAll),
    row(&["f"], "f", "follow new events", Action::Follow),
    row(&["p"], "p", "pause and resume", Action::Pause),
    row(&["c"], "c", "clear all events, close the file", Action::Clear),
    row(&["u"], "u", "undo: bring the cleared events back", Action::Undo),
    row(&["o"], "o", "open a JSONL file", Action::OpenFile),
    row(&["e"], "e", "save all events as JSONL", Action::SaveEvents),
    row(&["r"], "r", "save a report of what is shown, Markdown", Action::SaveReport),
    row(&["g"], "g", "save a trace of what is shown, for Perfetto", Action::SaveTrace),
    row(&["x"], "x", "the selected call as a test", Action::ShowTest),
    row(&["d"], "d", "the demonstration", Action::Demonstrate),
    row(&["t"], "t", "theme: system, light, dark", Action::ChangeTheme),
    row(&["?"], "?", "this sheet", Action::ShowKeys),
];

/// The meaning of the timeline's signs.
pub const SIGNS: [(&str, &str); 11] = [
    ("✓", "a call that was answered"),
    ("↪", "answered by its fallback"),
    ("✕", "failed"),
    ("⊘", "refused by the policy"),
    ("−", "cancelled"),
    ("▸ ◷ ≡", "running, waiting to retry, queued"),
    ("◐", "a breaker's probe"),
    ("▯ ▯", "attempts: green answered, red failed"),
    ("////", "a wait: amber for backoff, violet for Retry-After"),
    ("▔▔", "above, over the whole log: a breaker was open; thin: half-open"),
    ("⎵", "jitter range of the backoff"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::View;

    #[test]
    fn no_key_does_two_things() {
        let mut keys: Vec<_> = SHORTCUTS.iter().flat_map(|row| row.keys).collect();
        keys.sort_unstable();
        let all = keys.len();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }

    #[test]
    fn every_digit_has_its_view() {
        let digits = SHORTCUTS.iter().find(|row| row.keys.contains(&"1")).unwrap();
        for key in digits.keys {
            let view = View::of_digit(key).unwrap();
            assert_eq!(view.digit().map(String::from).as_deref(), Some(*key));
        }
        assert_eq!(View::of_digit("3"), Some(View::Runs));
        assert_eq!((View::of_digit("0"), View::of_digit("+1"), View::Lab.digit()), (None, None, None));
    }
}
