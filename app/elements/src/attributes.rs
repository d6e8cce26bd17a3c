//! Attributes by name: one type for all of them, by the type of their value alone.

use leptos::tachys::html::attribute::AttributeValue;
use leptos::tachys::html::attribute::custom::{CustomAttr, CustomAttributeKey, custom_attribute};
use leptos::tachys::html::element::HtmlElement;
use leptos::tachys::view::add_attr::AddAnyAttr;

/// The name of an attribute.
#[derive(Clone, Copy, Debug)]
pub struct Name(&'static str);

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self.0
    }
}

impl CustomAttributeKey for Name {
    // Any text at all says that the hub has written the attribute, so that it is not written again when the browser takes over.
    const KEY: &'static str = "name";
}

macro_rules! attributes {
    ($(#[$about:meta])* $trait:ident: $($method:ident $name:literal)*) => {
        $(#[$about])*
        pub trait $trait<V: AttributeValue>: AddAnyAttr + Sized {
            $(
                #[doc = concat!("`", $name, "`")]
                fn $method(self, value: V) -> Self::Output<CustomAttr<Name, V>> {
                    self.add_any_attr(custom_attribute(Name($name), value))
                }
            )*
        }

        impl<E, At, Ch, V: AttributeValue> $trait<V> for HtmlElement<E, At, Ch> where Self: AddAnyAttr {}
    };
}

attributes! {
    /// What every element may have.
    GlobalAttributes:
    autofocus "autofocus" dir "dir" hidden "hidden" id "id" inert "inert" lang "lang" popover "popover" role "role" spellcheck "spellcheck"
    tabindex "tabindex" title "title" translate "translate"
}

attributes! {
    /// What assistive technology reads.
    AriaAttributes:
    aria_atomic "aria-atomic" aria_busy "aria-busy" aria_checked "aria-checked" aria_controls "aria-controls" aria_current "aria-current"
    aria_describedby "aria-describedby" aria_disabled "aria-disabled" aria_expanded "aria-expanded" aria_haspopup "aria-haspopup"
    aria_hidden "aria-hidden" aria_invalid "aria-invalid" aria_label "aria-label" aria_labelledby "aria-labelledby" aria_level "aria-level"
    aria_live "aria-live" aria_pressed "aria-pressed" aria_selected "aria-selected" aria_sort "aria-sort" aria_valuemax "aria-valuemax"
    aria_valuemin "aria-valuemin" aria_valuenow "aria-valuenow" aria_valuetext "aria-valuetext"
}

attributes! {
    /// What some elements have.
    ElementAttributes:
    accept "accept" action "action" alt "alt" autocomplete "autocomplete" checked "checked" cols "cols" colspan "colspan"
    datetime "datetime" disabled "disabled" download "download" enctype "enctype" r#for "for" form "form" formaction "formaction" formmethod "formmethod" headers "headers" height "height"
    high "high" href "href" label "label" list "list" low "low" max "max" maxlength "maxlength" method "method" min "min"
    minlength "minlength" multiple "multiple" name "name" open "open" optimum "optimum" pattern "pattern" placeholder "placeholder"
    popovertarget "popovertarget" readonly "readonly" rel "rel" required "required" reversed "reversed" rows "rows" rowspan "rowspan"
    scope "scope" selected "selected" size "size" src "src" start "start" step "step" target "target" r#type "type" value "value"
    width "width" wrap "wrap"
}

/// An attribute under any name.
pub trait CustomAttribute<V: AttributeValue>: AddAnyAttr + Sized {
    /// Adds it.
    fn attr(self, name: &'static str, value: V) -> Self::Output<CustomAttr<Name, V>> {
        self.add_any_attr(custom_attribute(Name(name), value))
    }
}

impl<E, At, Ch, V: AttributeValue> CustomAttribute<V> for HtmlElement<E, At, Ch> where Self: AddAnyAttr {}
