//! Light, dark, or the system's theme, and the colours for canvases.

use super::storage;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

/// The user's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    System,
    Light,
    Dark,
}

const KEY: &str = "halfopen-theme";

impl Theme {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(crate) const fn sign(self) -> &'static str {
        match self {
            Self::System => "◑",
            Self::Light => "☀",
            Self::Dark => "☾",
        }
    }

    pub(crate) const fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }

    fn kept() -> Self {
        match storage::get(KEY).as_deref() {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }
}

/// Colours by the name of their custom property, as the present theme has them.
#[derive(Clone, Default)]
pub(crate) struct Palette {
    colours: Vec<(&'static str, JsValue)>,
    /// The placeholder before the colours are read. A canvas ignores it.
    none: JsValue,
}

/// The custom properties that canvases use.
const COLOURS: &[&str] = &[
    "--text",
    "--dim",
    "--line",
    "--line-strong",
    "--surface",
    "--sunken",
    "--accent",
    "--accent-soft",
    "--ok",
    "--ok-soft",
    "--fail",
    "--fail-soft",
    "--wait",
    "--wait-soft",
    "--hint",
    "--hint-soft",
    "--queue",
    "--queue-soft",
    "--fallback",
    "--select",
];

impl Palette {
    /// The colour of a custom property.
    pub(crate) fn get(&self, name: &str) -> &JsValue {
        let found = self.colours.iter().find(|(known, _)| *known == name);
        found.map_or(&self.none, |(_, colour)| colour)
    }

    /// Reads them from the browser, which computes the colour of an element that has the property as its colour.
    fn read() -> Self {
        let Some(body) = document().body() else { return Self::default() };
        let Ok(probe) = document().create_element("i").map(JsCast::unchecked_into::<web_sys::HtmlElement>)
        else {
            return Self::default();
        };
        let _ = body.append_child(&probe);
        let mut colours = Vec::new();
        for &name in COLOURS {
            let _ = probe.style().set_property("color", &format!("var({name})"));
            let computed = window().get_computed_style(&probe).ok().flatten();
            if let Some(colour) = computed.and_then(|style| style.get_property_value("color").ok()) {
                colours.push((name, JsValue::from_str(&colour)));
            }
        }
        probe.remove();
        Self { colours, none: JsValue::UNDEFINED }
    }
}

/// The theme and its colours.
#[derive(Clone, Copy)]
pub(crate) struct Themes {
    pub(crate) theme: RwSignal<Theme>,
    pub(crate) palette: RwSignal<Palette, LocalStorage>,
}

impl Themes {
    pub(crate) fn new() -> Self {
        let themes =
            Self { theme: RwSignal::new(Theme::kept()), palette: RwSignal::new_local(Palette::default()) };
        Effect::new(move |_| {
            let theme = themes.theme.get();
            if let Some(root) = document().document_element() {
                let _ = root.set_attribute("data-theme", theme.word());
            }
            storage::set(KEY, theme.word());
            themes.palette.set(Palette::read());
        });
        if let Ok(Some(query)) = window().match_media("(prefers-color-scheme: dark)") {
            let changed = Closure::<dyn Fn()>::new(move || themes.palette.set(Palette::read()));
            query.set_onchange(Some(changed.into_js_value().unchecked_ref()));
        }
        themes
    }
}
