//! The names before a secret: of headers, query parameters, environment variables, fields.

/// How far a name is to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// The whole header is a secret.
    Header,
    /// Names nothing but secrets; in a sentence the value must look like one ("API key: missing").
    Strong,
    /// People choose passwords that look like words.
    Password,
    /// `token=x` is one; in other places the value must look like a secret ("Unexpected token: x").
    Token,
    /// May name something harmless: the value must look like a secret, except in a query (`?key=x`).
    Weak,
}

/// Ends of names, lower-cased, without `-` and `_`; the first that fits decides.
const ENDINGS: &[(&str, Weight)] = &[
    ("authorization", Weight::Header),
    ("cookie", Weight::Header),
    ("apikey", Weight::Strong),
    ("accesskey", Weight::Strong),
    ("accesskeyid", Weight::Strong),
    ("accountkey", Weight::Strong),
    ("secretkey", Weight::Strong),
    ("privatekey", Weight::Strong),
    ("subscriptionkey", Weight::Strong),
    ("authkey", Weight::Strong),
    ("signingkey", Weight::Strong),
    ("encryptionkey", Weight::Strong),
    ("authtoken", Weight::Strong),
    ("accesstoken", Weight::Strong),
    ("refreshtoken", Weight::Strong),
    ("idtoken", Weight::Strong),
    ("sessiontoken", Weight::Strong),
    ("securitytoken", Weight::Strong),
    ("bearertoken", Weight::Strong),
    ("csrftoken", Weight::Strong),
    ("xsrftoken", Weight::Strong),
    ("secret", Weight::Strong),
    ("credential", Weight::Strong),
    ("credentials", Weight::Strong),
    ("signature", Weight::Strong),
    ("sessionid", Weight::Strong),
    ("sessid", Weight::Strong),
    ("cfbm", Weight::Strong),
    ("cfuvid", Weight::Strong),
    ("password", Weight::Password),
    ("passwd", Weight::Password),
    ("passphrase", Weight::Password),
    ("pwd", Weight::Password),
    ("tenantid", Weight::Strong),
    ("accountid", Weight::Strong),
    ("organizationid", Weight::Strong),
    ("orgid", Weight::Strong),
    ("projectid", Weight::Strong),
    ("projectnumber", Weight::Strong),
    ("subscriptionid", Weight::Strong),
    ("openaiorganization", Weight::Strong),
    ("openaiproject", Weight::Strong),
    ("token", Weight::Token),
    ("key", Weight::Weak),
    ("sig", Weight::Weak),
    ("sid", Weight::Weak),
    ("auth", Weight::Weak),
    ("session", Weight::Weak),
    ("jwt", Weight::Token),
];

const LONGEST_NAME: usize = 48;

/// What a name says about its value. `before` is the word before it: "API key", "Tenant ID".
pub(super) fn weigh(before: &str, word: &str) -> Option<Weight> {
    // Most words of a text end here: no ending of the table ends otherwise.
    if !matches!(
        word.bytes().last()?,
        b'y' | b'Y'
            | b'n'
            | b'N'
            | b'd'
            | b'D'
            | b't'
            | b'T'
            | b'e'
            | b'E'
            | b'l'
            | b'L'
            | b's'
            | b'S'
            | b'r'
            | b'R'
            | b'm'
            | b'M'
            | b'g'
            | b'G'
            | b'h'
            | b'H'
    ) {
        return None;
    }
    let mut name = [0_u8; LONGEST_NAME];
    let mut length = 0;
    let short_before = if before.len() <= 16 { before } else { "" };
    for byte in short_before.bytes().chain(word.bytes()).filter(u8::is_ascii_alphanumeric) {
        *name.get_mut(length)? = byte.to_ascii_lowercase();
        length += 1;
    }
    let name = name.get(..length)?;
    ENDINGS.iter().find(|(ending, _)| name.ends_with(ending.as_bytes())).map(|&(_, weight)| weight)
}

/// Authentication schemes that stand before a credential.
pub(super) fn is_scheme(word: &str) -> bool {
    ["bearer", "basic", "token", "apikey", "negotiate", "digest", "key"]
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// What follows "bearer" where nothing is borne.
pub(super) fn goes_on_after_bearer(word: &str) -> bool {
    [
        "auth",
        "authentication",
        "authorization",
        "token",
        "tokens",
        "scheme",
        "header",
        "in",
        "is",
        "or",
        "and",
        "for",
        "with",
        "format",
        "error",
        "realm",
        "credentials",
        "prefix",
        "of",
        "was",
        "not",
        "missing",
        "required",
        "must",
        "to",
        "the",
        "a",
    ]
    .iter()
    .any(|next| word.trim_end_matches(['.', ',', '=']).eq_ignore_ascii_case(next))
}

/// Folders of resource names whose child names the customer: `projects/123456789012/locations/…`.
pub(super) fn is_tenant_folder(word: &str) -> bool {
    ["projects", "subscriptions", "tenants", "organizations", "resourceGroups", "billingAccounts"]
        .contains(&word)
}

/// What a number or a UUID right behind it names the customer.
pub(super) fn is_tenant(word: &str) -> bool {
    [
        "organization",
        "organisation",
        "org",
        "tenant",
        "project",
        "account",
        "subscription",
        "workspace",
        "directory",
    ]
    .iter()
    .any(|tenant| word.eq_ignore_ascii_case(tenant))
}

/// Words before an id that is meant to be read out to a provider's support.
pub(super) fn is_public_id(before: &str) -> bool {
    let lower = before.to_ascii_lowercase();
    [
        "request",
        "requestid",
        "request_id",
        "request-id",
        "x-request-id",
        "trace",
        "traceid",
        "trace_id",
        "trace-id",
        "span",
        "spanid",
        "span_id",
        "traceparent",
        "id",
        "ray",
        "cf-ray",
        "sha256",
        "sha512",
        "sha1",
        "commit",
    ]
    .contains(&lower.as_str())
}

/// What a field holds when it holds nothing.
pub(super) fn is_harmless(value: &str) -> bool {
    ["null", "undefined", "none", "true", "false", "{", "missing"].contains(&value)
}

/// Words that go on a sentence about a password.
pub(super) fn is_prose(value: &str) -> bool {
    [
        "a",
        "an",
        "and",
        "as",
        "be",
        "cannot",
        "does",
        "empty",
        "expired",
        "field",
        "for",
        "has",
        "in",
        "incorrect",
        "invalid",
        "is",
        "it",
        "mismatch",
        "missing",
        "must",
        "needs",
        "no",
        "not",
        "or",
        "please",
        "required",
        "should",
        "the",
        "this",
        "too",
        "was",
        "wrong",
        "your",
    ]
    .iter()
    .any(|word| value.trim_end_matches(['.', '!', '?']).eq_ignore_ascii_case(word))
}
