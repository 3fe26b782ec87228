//! Numbers that cross into JavaScript by name. Each list is beside the thing it numbers, and the npm package's
//! generator reads all of them.

/// One number and the name that JavaScript knows it by.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// The name, in capitals.
    pub name: &'static str,
    /// The number.
    pub number: u32,
    /// Its meaning, in a sentence.
    pub about: &'static str,
}

/// A module of constants, and the list of them that goes to JavaScript.
#[macro_export]
macro_rules! numbers {
    ($(#[doc = $title:literal])+ $set:ident: $kind:ty { $($(#[doc = $about:literal])+ $name:ident = $number:expr,)+ }) => {
        $(#[doc = $title])+
        pub mod $set {
            $($(#[doc = $about])+ pub const $name: $kind = $number;)+

            /// All of them, for JavaScript.
            pub const ALL: &[$crate::numbered::Number] = &[$($crate::numbered::Number {
                name: stringify!($name),
                number: $name as u32,
                about: concat!($($about),+).trim_ascii(),
            }),+];
        }
    };
}
