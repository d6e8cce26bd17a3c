//! Leptos as the pages use it: in the browser every HTML element is of one type and every attribute is known by its name alone. On the
//! hub it is Leptos and nothing else.
//!
//! # Design
//! Leptos has a type for each tag and each attribute, and the compiler writes building, hydrating and patching anew for every one of
//! them: a sixth of what a browser has to fetch. `view!` finds elements at `::leptos::tachys::html::element` and attributes as methods of what
//! `::leptos::prelude` brings into scope, so a package that stands in the place of `leptos` may answer with others. What is not listed in
//! [`tachys`] or among the attributes falls back to the typed form (elements) or does not compile in the browser's half (attributes).

#[cfg(feature = "hydrate")]
mod attributes;

pub use leptos::*;

/// What pages import.
#[cfg(feature = "hydrate")]
pub mod prelude {
    // Named ones win over the glob: these stand in the place of Leptos's traits of the same names.
    pub use crate::attributes::{AriaAttributes, CustomAttribute, ElementAttributes, GlobalAttributes};
    pub use leptos::prelude::*;
}

/// Where `view!` looks for elements.
#[cfg(feature = "hydrate")]
pub mod tachys {
    pub use leptos::tachys::*;

    /// HTML.
    pub mod html {
        pub use leptos::tachys::html::*;

        /// The elements of HTML.
        pub mod element {
            pub use leptos::tachys::html::element::*;

            /// An element whose tag is known at run time.
            pub type Element = HtmlElement<Custom<&'static str>, (), ()>;

            macro_rules! elements {
                ($($function:ident $tag:literal)*) => {
                    $(
                        #[doc = concat!("`", $tag, "`")]
                        pub fn $function() -> Element {
                            leptos::tachys::html::element::custom($tag)
                        }
                    )*
                };
            }

            // In capitals, as the DOM names them: patching compares the names.
            elements! {
                a "A" abbr "ABBR" article "ARTICLE" aside "ASIDE" b "B" blockquote "BLOCKQUOTE" br "BR" button "BUTTON" caption "CAPTION"
                code "CODE" dd "DD" del "DEL" details "DETAILS" dialog "DIALOG" div "DIV" dl "DL" dt "DT" em "EM" fieldset "FIELDSET"
                figcaption "FIGCAPTION" figure "FIGURE" footer "FOOTER" form "FORM" h1 "H1" h2 "H2" h3 "H3" h4 "H4" header "HEADER" hr "HR"
                i "I" img "IMG" input "INPUT" ins "INS" kbd "KBD" label "LABEL" legend "LEGEND" li "LI" main "MAIN" mark "MARK" meter "METER"
                nav "NAV" ol "OL" optgroup "OPTGROUP" option "OPTION" output "OUTPUT" p "P" pre "PRE" progress "PROGRESS" q "Q" s "S"
                samp "SAMP" section "SECTION" select "SELECT" small "SMALL" span "SPAN" strong "STRONG" sub "SUB" summary "SUMMARY"
                sup "SUP" table "TABLE" tbody "TBODY" td "TD" textarea "TEXTAREA" tfoot "TFOOT" th "TH" thead "THEAD" time "TIME" tr "TR"
                u "U" ul "UL" wbr "WBR"
            }
        }
    }
}
