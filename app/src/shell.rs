//! The document around the application, rendered by the hub only.

use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_meta::MetaTags;

use crate::app::App;
use crate::frame::switches::THEME_KEY;
use crate::language;

/// Sets the remembered theme before the first paint. The only inline script of our own; it carries the nonce of the response.
fn theme_script() -> String {
    format!(
        "try{{var t=localStorage.getItem('{THEME_KEY}');\
         if(t==='light'||t==='dark')document.documentElement.setAttribute('data-theme',t)}}catch(e){{}}"
    )
}

/// The whole document.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    view! {
        <!DOCTYPE html>
        <html lang=language::tag()>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <script nonce=use_nonce()>{theme_script()}</script>
                <link rel="icon" type="image/svg+xml" href="/favicon.svg"/>
                <link rel="stylesheet" href=format!("/{}/{}.css", options.site_pkg_dir, options.output_name)/>
                <script type="application/json" id=language::TEXTS_ID nonce=use_nonce() inner_html=language::texts_json()></script>
                <HydrationScripts options/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}
