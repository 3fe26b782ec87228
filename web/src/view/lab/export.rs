//! What can be taken away: a link, the scenario as JSON, the charts as SVG or PNG, a policy as code.

use super::state::{Lab, Real};
use crate::ui::copy::{Copy, Text};
use crate::ui::download;
use halfopen_model::view::lab::chart::chart;
use halfopen_model::view::lab::json::{Json, Key};
use halfopen_model::view::lab::{code, picture, share};
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Blob, HtmlCanvasElement, HtmlImageElement};

/// How wide the charts are as a file, in pixels, and how many pixels of a PNG one of these is.
const WIDTH: f64 = 900.0;
const SHARP: f64 = 2.0;

/// The buttons above the results.
#[component]
pub(super) fn Exports() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let link = move || {
        let location = window().location();
        let part = |value: Result<String, wasm_bindgen::JsValue>| value.unwrap_or_default();
        let fragment = lab.document.with_untracked(share::fragment).unwrap_or_default();
        format!("{}{}?view=lab{fragment}", part(location.origin()), part(location.pathname()))
    };
    let save_scenario = move |_| {
        let text = format!("{}\n", lab.document.with_untracked(Json::pretty));
        download::save_text(&text, "application/json", "scenario.json");
    };
    let save_svg = move |_| {
        if let Some((text, ..)) = svg(lab) {
            download::save_text(&text, "image/svg+xml", "halfopen-lab.svg");
        }
    };
    view! {
        <div class="lab-exports" role="group" aria-label="Export">
            <Copy text=Arc::new(link) label="Copy link"/>
            <button class="tool" title="For npx halfopen simulate" on:click=save_scenario>"Scenario"</button>
            <button class="tool" title="The charts as an SVG file" on:click=save_svg>"SVG"</button>
            <button class="tool" title="The charts as a PNG file" on:click=move |_| save_png(lab)>"PNG"</button>
        </div>
    }
}

/// A policy as code.
#[component]
pub(super) fn PolicyCode(index: usize) -> impl IntoView {
    let lab = expect_context::<Lab>();
    let text = move || {
        lab.outcome.with(|outcome| {
            let outcome = outcome.as_ref()?;
            let name = outcome.policies.get(index)?.name.clone();
            let options = outcome.scenario.at(&[Key::Name("policies".into()), Key::Name(name)])?;
            Some(code::policy(options))
        })
    };
    code_of(Arc::new(move || text().unwrap_or_default()))
}

/// Code that can be opened and copied.
pub(super) fn code_of(text: Text) -> AnyView {
    let shown = Arc::clone(&text);
    view! {
        <details class="lab-code">
            <summary>"As code"</summary>
            <div class="code">
                <pre tabindex="0" aria-label="Code"><code>{move || shown()}</code></pre>
                <Copy text/>
            </div>
        </details>
    }
    .into_any()
}

/// The charts as a text, and how large they are.
fn svg(lab: Lab) -> Option<(String, f64)> {
    lab.outcome.with_untracked(|outcome| {
        let outcome = outcome.as_ref()?;
        let drawn = lab.real.with_untracked(|real| {
            chart(outcome, if let Real::Measured(policies) = real { policies } else { &[] }, WIDTH)
        });
        Some((picture::svg(outcome, &drawn), picture::height(outcome, &drawn)))
    })
}

/// Has the browser draw the SVG, and saves the pixels.
fn save_png(lab: Lab) {
    let Some((text, height)) = svg(lab) else { return };
    let Ok(image) = HtmlImageElement::new() else { return };
    let drawn = image.clone();
    let draw = Closure::once_into_js(move || {
        let made = document().create_element("canvas").map(JsCast::unchecked_into::<HtmlCanvasElement>);
        let Ok(canvas) = made else { return };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size in pixels")]
        let (width, height) = ((WIDTH * SHARP) as u32, (height * SHARP) as u32);
        canvas.set_width(width);
        canvas.set_height(height);
        let context = canvas.get_context("2d").ok().flatten();
        let Some(context) =
            context.and_then(|context| context.dyn_into::<web_sys::CanvasRenderingContext2d>().ok())
        else {
            return;
        };
        let _ = context.draw_image_with_html_image_element_and_dw_and_dh(
            &drawn,
            0.0,
            0.0,
            f64::from(width),
            f64::from(height),
        );
        let save = Closure::once_into_js(|blob: Blob| {
            download::save(&js_sys::Array::of1(&blob), "image/png", "halfopen-lab.png");
        });
        let _ = canvas.to_blob(save.unchecked_ref());
    });
    image.set_onload(Some(draw.unchecked_ref()));
    image.set_src(&format!("data:image/svg+xml;charset=utf-8,{}", js_sys::encode_uri_component(&text)));
}
