//! The names before a secret: of headers, query parameters, environment variables, fields.

use crate::text::{is_one_of, words_of};

/// How far a name is to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// The whole header is a secret.
    Header,
    /// Names only secrets. In a sentence the value must look like one ("API key: missing").
    Strong,
    /// People choose passwords that look like words.
    Password,
    /// `token=x` is a secret; elsewhere the value must look like one ("Unexpected token: x").
    Token,
    /// May name something harmless: the value must look like a secret, except in a query (`?key=x`).
    Weak,
    /// A code that is exchanged for a token, if it is in a query (`?code=x`, RFC 6749 §4.1.2).
    Query,
    /// Mentions a secret somewhere in the name (`api_key_v2`): only a random string counts as one.
    Part,
    /// Names something harmless, although its end suggests a secret (`cache key`, `bypass`).
    Harmless,
}

/// The ends of names, lower-cased, without `-` and `_`. The first match decides.
const ENDINGS: &[(&str, Weight)] = &[
    ("cachekey", Weight::Harmless),
    ("duplicatekey", Weight::Harmless),
    ("foreignkey", Weight::Harmless),
    ("hashkey", Weight::Harmless),
    ("idempotencykey", Weight::Harmless),
    ("lockkey", Weight::Harmless),
    ("objectkey", Weight::Harmless),
    ("partitionkey", Weight::Harmless),
    ("primarykey", Weight::Harmless),
    ("publickey", Weight::Harmless),
    ("rangekey", Weight::Harmless),
    ("routingkey", Weight::Harmless),
    ("rowkey", Weight::Harmless),
    ("shardkey", Weight::Harmless),
    ("sortkey", Weight::Harmless),
    ("uniquekey", Weight::Harmless),
    ("bypass", Weight::Harmless),
    ("compass", Weight::Harmless),
    ("surpass", Weight::Harmless),
    ("trespass", Weight::Harmless),
    ("compat", Weight::Harmless),
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
    ("creds", Weight::Strong),
    ("signature", Weight::Strong),
    ("sessionid", Weight::Strong),
    ("sessid", Weight::Strong),
    ("cfbm", Weight::Strong),
    ("cfuvid", Weight::Strong),
    ("password", Weight::Password),
    ("passwd", Weight::Password),
    ("passphrase", Weight::Password),
    ("pwd", Weight::Password),
    ("passcode", Weight::Password),
    ("pass", Weight::Password),
    ("pw", Weight::Password),
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
    ("pat", Weight::Weak),
    ("sig", Weight::Weak),
    ("sid", Weight::Weak),
    ("auth", Weight::Weak),
    ("session", Weight::Weak),
    ("jwt", Weight::Token),
];

/// A longer name is not examined.
const LONGEST_NAME: usize = 48;

/// Returns how strongly a name suggests a secret value. `before` is the word before it: "API key", "Tenant ID".
pub(super) fn weigh(before: &str, word: &str) -> Option<Weight> {
    // Most words of a text end here, because every ending of the table ends in one of these letters.
    if !b"ynsdtelrmghw".contains(&word.bytes().last()?.to_ascii_lowercase()) {
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
    let row = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending.as_bytes()))?;
    Some(row.1).filter(|&weight| weight != Weight::Harmless)
}

/// Returns the weight of a name without such an ending: `code`, or a secret mentioned somewhere in it.
pub(super) fn weigh_loosely(word: &str) -> Option<Weight> {
    if word.eq_ignore_ascii_case("code") {
        return Some(Weight::Query);
    }
    const PARTS: &str = "access api auth creds credential key pass passwd password secret token";
    let is_part = |part: &[u8]| {
        let length = part.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(part.len());
        part.get(..length).is_some_and(|part| words_of(PARTS).any(|one| hump_is(part, one)))
    };
    parts(word).any(is_part).then_some(Weight::Part)
}

/// Returns `true` if the first hump of a part is that: `keyId` begins with `key`, `keyboard` does not.
fn hump_is(part: &[u8], name: &[u8]) -> bool {
    let ends = part.get(name.len()).is_none_or(|next| next.is_ascii_uppercase())
        || part.iter().all(u8::is_ascii_uppercase) && part.len() == name.len();
    ends && part.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
}

/// Yields the parts of a name: from its beginning, from behind `-`, `_`, `.` or a space, or from a hump of its camel
/// case.
pub(super) fn parts(name: &str) -> impl Iterator<Item = &[u8]> {
    let bytes = name.as_bytes();
    bytes.iter().enumerate().filter_map(move |(at, byte)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let begins = before.is_none_or(|before| {
            matches!(before, b'-' | b'_' | b'.' | b' ')
                || byte.is_ascii_uppercase() && before.is_ascii_lowercase()
        });
        (begins && byte.is_ascii_alphabetic()).then(|| bytes.get(at..).unwrap_or_default())
    })
}

/// Returns `true` if a part of the name begins with the word.
pub(super) fn mentions(name: &str, word: &str) -> bool {
    parts(name)
        .any(|part| part.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes())))
}

/// Returns `true` for an authentication scheme, which precedes a credential in a header.
pub(super) fn is_scheme(word: &str) -> bool {
    is_one_of(word, "bearer basic token apikey negotiate digest key geniekey")
}

/// Words after "bearer" that are no token ("bearer of …").
pub(super) fn goes_on_after_bearer(word: &str) -> bool {
    const NEXT: &str = "auth authentication authorization token tokens scheme header in is or and for with \
     format error realm credentials prefix of was not missing required must to the a";
    is_one_of(word.trim_end_matches(['.', ',', '=']), NEXT)
}

/// Folders of resource names whose child names the customer: `projects/123456789012/locations/…`.
pub(super) fn is_tenant_folder(word: &str) -> bool {
    ["projects", "subscriptions", "tenants", "organizations", "resourceGroups", "billingAccounts"]
        .contains(&word)
}

/// Returns `true` for a word after which a number or a UUID identifies the customer.
pub(super) fn is_tenant(word: &str) -> bool {
    is_one_of(word, "organization organisation org tenant project account subscription workspace directory")
}

/// Names of ids that a user may read to a provider's support, and of data that is public anyway.
pub(super) fn is_public_id(name: &str) -> bool {
    const IDS: &str = "requestid correlationid traceid spanid id ids uuid guid request trace span traceparent \
     x-cloud-trace-context b3 ray cf-ray root sha256 sha512 sha384 sha1 md5 commit commits \
     revision rev sha head ref digest checksum integrity etag hash fingerprint build \
     container containerd docker image layer blob manifest snapshot object parent version W";
    if is_one_of(name, IDS) {
        return true;
    }
    // `x-amz-id-2`, `correlation_id`, `responseId` are public; but the id of a client or of a key is half of a secret.
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '_');
    let Some(stem) =
        name.strip_suffix("id").or_else(|| name.strip_suffix("Id")).or_else(|| name.strip_suffix("ID"))
    else {
        return false;
    };
    let is_hump = !name.ends_with("id") && stem.ends_with(|c: char| c.is_ascii_lowercase());
    let is_part = stem.ends_with(['-', '_']) || is_hump;
    is_part && !["client", "access", "key"].iter().any(|secret| mentions(stem, secret))
}

/// Returns `true` for the value of an empty field.
pub(super) fn is_harmless(value: &str) -> bool {
    ["null", "undefined", "none", "true", "false", "{", "missing"].contains(&value)
}

/// Words that continue a sentence about a password.
pub(super) fn is_prose(value: &str) -> bool {
    const NEXT: &str = "a an and argument as at be cannot could does empty expired field flag for from has if in \
     incorrect invalid is it may mismatch missing must needs no not of on option or please \
     required should the this to too unset was when with wrong you your";
    is_one_of(value.trim_end_matches(['.', '!', '?']), NEXT)
}

/// Returns `true` if a word ends like the words of English sentences. A password in a sentence rarely does.
pub(super) fn reads_as_prose(value: &str) -> bool {
    const ENDS: &str = "ed ing ion ions able ible ment ments ous ity ive ent ents er ers or ors ate ally ance \
     ence ure al ic ness";
    let value = value.trim_end_matches(['.', '!', '?']);
    value.bytes().all(|b| b.is_ascii_lowercase()) && words_of(ENDS).any(|end| value.as_bytes().ends_with(end))
}
