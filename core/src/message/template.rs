//! The small language of the tables: `{provider}`, and `[provider|with it|without it]`.
//!
//! Languages inflect: "bei OpenAI", but "beim KI-Dienst". So a template has both wordings, and no word is joined from
//! parts. Sections do not nest.

/// The facts that a template can mention; `None` picks the second wording.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) provider: Option<String>,
    /// Empty if the provider is reached over the internet.
    pub(super) internet: Option<String>,
    pub(super) model: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) wait: Option<String>,
    pub(super) again: Option<String>,
    pub(super) detail: Option<String>,
    pub(super) expected: Option<String>,
    pub(super) got: Option<String>,
}

impl Facts {
    fn get(&self, name: &str) -> Option<&str> {
        match name {
            "provider" => self.provider.as_deref(),
            "internet" => self.internet.as_deref(),
            "model" => self.model.as_deref(),
            "tool" => self.tool.as_deref(),
            "wait" => self.wait.as_deref(),
            "again" => self.again.as_deref(),
            "detail" => self.detail.as_deref(),
            "expected" => self.expected.as_deref(),
            "got" => self.got.as_deref(),
            _ => None,
        }
    }
}

/// Renders the template with the facts.
pub(super) fn render(template: &str, facts: &Facts) -> String {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, section)) = rest.split_once('[') {
        fill(&mut out, before, facts);
        let (inside, after) = section.split_once(']').unwrap_or((section, ""));
        let mut parts = inside.splitn(3, '|');
        let known = parts.next().is_some_and(|name| facts.get(name).is_some());
        let (with, without) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        fill(&mut out, if known { with } else { without }, facts);
        rest = after;
    }
    fill(&mut out, rest, facts);
    out
}

fn fill(out: &mut String, text: &str, facts: &Facts) {
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('{') {
        let (name, after) = tail.split_once('}').unwrap_or((tail, ""));
        out.push_str(before);
        out.push_str(facts.get(name).unwrap_or_default());
        rest = after;
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_a_wording_for_either_case() {
        let named = Facts { provider: Some("OpenAI".into()), ..Facts::default() };
        let template = "[provider|{provider} is|The service is] busy[wait| for {wait}|].";
        assert_eq!(render(template, &named), "OpenAI is busy.");
        assert_eq!(render(template, &Facts::default()), "The service is busy.");
    }

    #[test]
    fn a_filled_in_text_is_not_a_template() {
        let facts = Facts { model: Some("[wait|a|b]{provider}".into()), ..Facts::default() };
        assert_eq!(render("“{model}”", &facts), "“[wait|a|b]{provider}”");
    }
}
