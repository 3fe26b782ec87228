//! The dashboard's frame: bars above and below, the view between them, keys, drop of files.

use crate::keys::{self, KeySheet};
use crate::session::intake::{Notice, Origin};
use crate::session::{Session, Slow, use_session};
use crate::source;
use crate::source::Connection;
use crate::ui::narrow::Narrow;
use crate::ui::theme::Themes;
use crate::ui::wall_clock;
use crate::view;
use crate::{address, answers};
use halfopen_model::format::{count, number_of};
use halfopen_model::view::findings::badge;
use halfopen_model::view::{View, filter, status};
use halfopen_store::query::{Completion, complete};
use halfopen_store::time::Moment;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Runs the dashboard.
#[component]
pub(crate) fn App() -> impl IntoView {
    let session = Session::new();
    provide_context(session);
    let themes = Themes::new();
    provide_context(themes);
    provide_context(view::findings::findings(session));
    provide_context(view::lab::Lab::new());
    answers::load_soon();
    provide_context(Narrow::new());
    let dragging = RwSignal::new(false);
    if address::wants_demo() {
        session.show_demo();
    } else {
        session.show_live();
    }
    if source::is_embedded() {
        // An embedded drawer is low and shows few calls, which say more than charts.
        session.navigation.view.set(View::Timeline);
    } else {
        address::keep(session);
    }
    let keys = keys::listen(session, themes);
    let sheet = keys.sheet;
    let drop_file = move |event: web_sys::DragEvent| {
        event.prevent_default();
        dragging.set(false);
        let file = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0));
        if let Some(file) = file {
            session.open_file(file);
        }
    };
    view! {
        <div
            class="app"
            class:dragging=move || dragging.get()
            on:dragover=move |event| {
                event.prevent_default();
                dragging.set(true);
            }
            on:dragleave=move |event| {
                if event.related_target().is_none() {
                    dragging.set(false);
                }
            }
            on:drop=drop_file
        >
            <a class="skip" href="#main">"Skip to the view"</a>
            <Header themes sheet/>
            <div>
                <Toolbar/>
                <view::control::Standing/>
            </div>
            <main id="main" class="main" tabindex="-1">
                <Body/>
            </main>
            <StatusBar/>
            <div class="drop-sign" aria-hidden="true">"Drop a JSONL file to open it"</div>
            <Show when=move || sheet.get()>
                <KeySheet keys/>
            </Show>
        </div>
    }
}

#[component]
fn Header(themes: Themes, sheet: RwSignal<bool>) -> impl IntoView {
    let session = use_session();
    let findings = view::findings::shared();
    let tabs = View::ALL
        .iter()
        .map(|&(tab, word, name)| {
            let title = tab.digit().map_or_else(|| name.to_owned(), |digit| format!("{name} ({digit})"));
            let href = format!("?view={word}");
            let badge = move || match tab {
                View::Findings => findings.with(|found| badge(found.as_deref())),
                _ => None,
            };
            view! {
                <a
                    href=href
                    class="tab"
                    class:second=tab == View::Classify
                    title=title
                    aria-current=move || (session.navigation.view.get() == tab).then_some("page")
                    on:click=move |event| {
                        event.prevent_default();
                        session.navigation.view.set(tab);
                    }
                >
                    {name}
                    {move || badge().map(|badge| view! { <span class="tab-count">{badge}</span> })}
                </a>
            }
        })
        .collect_view();
    let strip = NodeRef::<leptos::html::Nav>::new();
    Effect::new(move |_| {
        session.navigation.view.track();
        request_animation_frame(move || strip.get_untracked().iter().for_each(show_current));
    });
    view! {
        <header class="header">
            <div class="brand">
                <h1>"Halfopen"</h1>
            </div>
            <nav class="tabs" aria-label="Views" node_ref=strip>{tabs}</nav>
            <div class="header-end">
                <button
                    class="icon"
                    title=move || format!("Theme: {} (t)", themes.theme.get().word())
                    aria-label=move || format!("Theme: {}", themes.theme.get().word())
                    on:click=move |_| themes.theme.update(|theme| *theme = theme.next())
                >
                    {move || themes.theme.get().sign()}
                </button>
                <button class="icon" title="Keys and signs (?)" aria-label="Keys, filters and signs" on:click=move |_| sheet.set(true)>
                    "?"
                </button>
            </div>
        </header>
    }
}

/// If not all tabs fit, scrolls the current one to the middle. It does not use `scrollIntoView`, which would also scroll
/// the page that embeds this one.
fn show_current(strip: &web_sys::HtmlElement) {
    let current = strip.query_selector("[aria-current]").ok().flatten();
    if let Some(tab) = current.and_then(|tab| tab.dyn_into::<web_sys::HtmlElement>().ok()) {
        strip.set_scroll_left(tab.offset_left() - (strip.client_width() - tab.offset_width()) / 2);
    }
}

#[component]
fn Toolbar() -> impl IntoView {
    let session = use_session();
    let misread = move || session.scope.misread.get().map(|misread| misread.0);
    let says = move || misread().map(|why| view! { <view::meant::Meant/>{why} });
    // The notice that an export saved nothing ends with another filter.
    Effect::new(move |_| {
        session.navigation.query.track();
        if matches!(session.intake.notice.get_untracked(), Some(Notice::Export(_))) {
            session.intake.notice.set(None);
        }
    });
    // The list below the field of the filter.
    let completions = RwSignal::new(Vec::new());
    let offer = move || {
        let typed = session.navigation.query.get_untracked();
        completions.set(session.log.peek(|log| complete(log, &typed)));
    };
    // On a narrow page, the tools are a list that this opens.
    let tools = RwSignal::new(false);
    let picker = NodeRef::<leptos::html::Input>::new();
    let pick = move |_| {
        let file = picker.get_untracked().and_then(|input| input.files()).and_then(|files| files.get(0));
        if let Some(file) = file {
            session.open_file(file);
        }
        if let Some(input) = picker.get_untracked() {
            input.set_value("");
        }
    };
    view! {
        <div class="toolbar" role="group" aria-label="Events" inert=view::details::covers()>
            <div class="search" class:bad=move || misread().is_some()>
                <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
                    <circle cx="7" cy="7" r="4.5" fill="none" stroke="currentColor" stroke-width="1.5"/>
                    <path d="M10.5 10.5 14 14" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/>
                </svg>
                <input
                    id="search"
                    type="search"
                    placeholder="Filter   code:RATE_LIMITED provider:openai retrying duration>2s"
                    aria-label="Filter calls"
                    aria-describedby="search-says"
                    autocomplete="off"
                    spellcheck="false"
                    list="search-keys"
                    prop:value=move || session.navigation.query.get()
                    // Chromium empties the field without an input event, so the filter would stay in effect unseen.
                    on:keydown=move |event| {
                        if event.key() == "Escape" {
                            session.navigation.filter(String::new());
                        }
                    }
                    on:focus=move |_| offer()
                    on:change=move |_| session.navigation.typing.set(false)
                    on:input=move |event| {
                        session.navigation.typing.set(true);
                        session.navigation.query.set(event_target_value(&event));
                        offer();
                        // Views that do not show the filter's calls.
                        if !session.navigation.view.get_untracked().is_scoped() {
                            session.navigation.view.set(View::Timeline);
                        }
                    }
                />
                <datalist id="search-keys">
                    {move || {
                        let kept = session.log.peek(|log| log.calls_kept());
                        completions.get().into_iter().map(|Completion { filter, says }| view! { <option value=filter>{filter::completion(&says, kept)}</option> }).collect_view()
                    }}
                </datalist>
                <kbd aria-hidden="true">"/"</kbd>
            </div>
            <div id="search-says" class="search-says" role="status">{says}</div>
            <Narrowed/>
            <button
                class="tool tools-more"
                aria-label="Tools"
                aria-expanded=move || tools.get().to_string()
                aria-controls="tools"
                on:click=move |_| tools.update(|open| *open = !*open)
            >"⋯"</button>
            <div class="tools" id="tools" class:open=move || tools.get()>
                <button
                    class="tool"
                    title="Pause (p)"
                    hidden=move || session.intake.shows_file()
                    aria-pressed=move || session.log.paused.get().to_string()
                    on:click=move |_| session.toggle_pause()
                >
                    {move || if session.log.paused.get() {
                        let held = session.log.held_count.get();
                        if held > 0 { format!("▶ Resume ({})", count(held as u64)) } else { "▶ Resume".to_owned() }
                    } else { "❚❚ Pause".to_owned() }}
                </button>
                <button class="tool" title="Clear all events; Undo brings them back for 20 seconds (c)" hidden=move || session.intake.shows_file() on:click=move |_| session.clear()>"Clear"</button>
                {move || match session.intake.origin.get() {
                    Origin::File(name) => Some(view! { <span class="file-name" title=name.clone()>{name.clone()}</span> }),
                    _ => None,
                }}
                <button
                    class="tool"
                    title="Open a JSONL file (o)"
                    id="open-file"
                    on:click=move |_| {
                        if let Some(input) = picker.get_untracked() {
                            input.click();
                        }
                    }
                >"Open…"</button>
                <input class="hidden" type="file" accept=".jsonl,.ndjson,.log,.json,.txt" aria-label="Open a JSONL file" tabindex="-1" node_ref=picker on:change=pick/>
                <view::export::Menu/>
                <Show when=move || session.intake.origin.get() == Origin::Demo>
                    <button
                        class="tool"
                        title="Speed of the demonstration"
                        on:click=move |_| session.intake.next_speed(session.log.paused.get_untracked())
                    >
                        {move || format!("×{}", session.intake.speed.get())}
                    </button>
                </Show>
                <Show when=move || session.intake.origin.get() != Origin::Live>
                    <button class="tool" title="Show live events again" on:click=move |_| session.show_live()>
                        {move || if session.intake.shows_file() { "Close the file" } else { "End the demo" }}
                    </button>
                </Show>
            </div>
        </div>
    }
}

/// The share of the log that is in scope, and the selected time.
#[component]
fn Narrowed() -> impl IntoView {
    let session = use_session();
    let count = move || {
        let calls = session.scope.calls.get();
        let (some, all) = session.log.read(|log| (calls.len(log), log.calls_kept()));
        filter::narrowed(some as u64, all as u64, !calls.is_all(), session.scope.misread.get().is_some())
    };
    let span = move || {
        let span = session.scope.span.get()?;
        let says = format!("{} – {}", wall_clock::time(span.from), wall_clock::time(span.to));
        Some(view! {
            <button class="tool" title="Show all times" on:click=move |_| session.scope.span.set(None)>{says}" ✕"</button>
        })
    };
    view! {
        <div class="narrowed">
            <span>{count}</span>
            {span}
        </div>
    }
}

#[component]
fn Body() -> impl IntoView {
    let session = use_session();
    // The timeline checks this itself: a file that is being read is not an empty log.
    let empty = Memo::new(move |_| session.log.read(|log| log.kept() == 0));
    let shown = move |view: View| {
        move || match view {
            View::Health
            | View::Breakers
            | View::Traffic
            | View::Errors
            | View::Findings
            | View::Fleet
            | View::Runs
                if empty.get() =>
            {
                view::empty::Empty().into_any()
            }
            View::Health => view::health::Health().into_any(),
            View::Timeline => view::timeline::Timeline().into_any(),
            View::Breakers => view::breakers::Breakers().into_any(),
            View::Traffic => view::traffic::Traffic().into_any(),
            View::Errors => view::errors::Errors().into_any(),
            View::Findings => view::findings::Findings().into_any(),
            View::Fleet => view::fleet::Fleet().into_any(),
            View::Runs => view::runs::Runs().into_any(),
            View::Classify => view::classify::Classify().into_any(),
            View::Lab => view::lab::LabView().into_any(),
        }
    };
    // Each view has elements of its own. If it reused those of the previous view, it would open at their scroll position.
    view! { <For each=move || [session.navigation.view.get()] key=|view| *view let:view>{shown(view)}</For> }
}

#[component]
fn StatusBar() -> impl IntoView {
    let session = use_session();
    let connection = move || {
        let connection = session.intake.connection.get();
        // Only a countdown depends on the time.
        let counts = matches!(connection, Connection::Lost(_));
        let now = if counts { session.clock.now.get() } else { Moment::default() };
        let (class, text) = session.intake.origin.with(|origin| status::source(origin, connection, now));
        let help =
            counts.then_some("Start it with: npx halfopen devtools. This page then connects by itself.");
        view! { <span class=format!("connection {class}") title=help><i aria-hidden="true"></i><span>{text}</span></span> }
    };
    // The bar says when the address has `?policy=…`: users would otherwise miss the other calls.
    let part = status::part(&source::wanted());
    let part = move || {
        let text = part.clone().filter(|_| session.intake.origin.get() == Origin::Live)?;
        Some(
            view! { <span class="part">{text}" "<a class="link" href=source::address_of_all() rel="external">"Show all"</a></span> },
        )
    };
    // People read the sums, so four updates a second are enough.
    let sums = Memo::new(move |_| {
        session.clock.slow(Slow::Sums);
        session.log.peek(status::sums)
    });
    let agents = move || {
        let agents = session.intake.server.get().agents;
        (agents > 0).then(|| view! { <span class="wide">{number_of(agents, "agent")}</span> })
    };
    view! {
        <footer class="status" aria-label="State of the session">
            {connection}
            {part}
            <Show when=move || session.intake.loading.get().is_some()>
                <progress aria-label="Reading the file" max="1" prop:value=move || session.intake.loading.get().unwrap_or(0.0)></progress>
            </Show>
            <span>{move || sums.get().events}</span>
            <span>{move || sums.get().calls}</span>
            <span class="wide">{move || sums.get().retries}</span>
            {agents}
            <span class="grow"></span>
            <span class="undo" role="status">{move || match session.log.cleared_count.get() {
                0 => None,
                number => Some(view! { {number_of(number as u64, "event")}" cleared "<button class="link" title="Bring them back (u)" on:click=move |_| session.undo()>"Undo"</button> }),
            }}</span>
            // The live region exists before it has text, or screen readers would not announce it.
            <span class="notice">
                <span class="loss note" role="status">{move || session.intake.notice.get().map(|notice| notice.text().to_owned())}</span>
                <button class="link" aria-label="Close the notice" on:click=move |_| session.intake.notice.set(None)>"✕"</button>
            </span>
            <span class="losses"><view::losses::Losses/></span>
        </footer>
    }
}
