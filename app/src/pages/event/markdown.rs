//! Markdown as markup, of an allow list of elements without a single attribute that comes from the text. A link or an image stays
//! text with its address beside it: whoever wrote the body does not choose where a reader's click leads.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::written::escaped;

/// Writes a text.
pub(super) fn write(text: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = Page::default();
    for event in Parser::new_ext(text, options) {
        page.take(event);
    }
    format!("<div class=\"markdown\">{}</div>", page.out)
}

#[derive(Default)]
struct Page {
    out: String,
    /// The addresses of the links and images that are open, and where their words begin.
    targets: Vec<(String, usize)>,
    /// Whether the cells of a table are its head's.
    in_head: bool,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            // Markup within Markdown is text.
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.out.push_str(&escaped(&text)),
            Event::Code(code) => {
                self.out.push_str("<code>");
                self.out.push_str(&escaped(&code));
                self.out.push_str("</code>");
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => self.out.push_str(if done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::List(Some(first)) if first != 1 => self.write(format_args!("<ol start=\"{first}\">")),
            Tag::CodeBlock(kind) => {
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.is_empty()
                {
                    self.write(format_args!("<p class=\"faint\">{}</p>", escaped(&language)));
                }
                self.out.push_str("<pre class=\"code\">\n");
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.targets.push((dest_url.into_string(), self.out.len()));
            }
            Tag::TableHead => {
                self.in_head = true;
                self.out.push_str("<thead><tr>");
            }
            tag => {
                if let Some(name) = self.name(tag.to_end()) {
                    self.write(format_args!("<{name}>"));
                }
            }
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link | TagEnd::Image => {
                if let Some((target, from)) = self.targets.pop() {
                    let target = escaped(&target);
                    // An address that is its own text needs no second one.
                    if self.out.get(from..) != Some(target.as_str()) {
                        self.write(format_args!(" <span class=\"target\">({target})</span>"));
                    }
                }
            }
            TagEnd::TableHead => {
                self.in_head = false;
                self.out.push_str("</tr></thead>");
            }
            TagEnd::CodeBlock => self.out.push_str("</pre>"),
            tag => {
                if let Some(name) = self.name(tag) {
                    self.write(format_args!("</{name}>"));
                }
            }
        }
    }

    fn write(&mut self, markup: std::fmt::Arguments<'_>) {
        // Writing to a text cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut self.out, markup);
    }

    /// The element for a part of a text; `None` for what has none of its own.
    fn name(&self, tag: TagEnd) -> Option<&'static str> {
        Some(match tag {
            TagEnd::Paragraph => "p",
            // Below the titles of the page.
            TagEnd::Heading(HeadingLevel::H1) => "h3",
            TagEnd::Heading(HeadingLevel::H2) => "h4",
            TagEnd::Heading(_) => "h5",
            TagEnd::BlockQuote(_) => "blockquote",
            TagEnd::List(true) => "ol",
            TagEnd::List(false) => "ul",
            TagEnd::Item => "li",
            TagEnd::Table => "table",
            TagEnd::TableRow => "tr",
            TagEnd::TableCell if self.in_head => "th",
            TagEnd::TableCell => "td",
            TagEnd::Emphasis => "em",
            TagEnd::Strong => "strong",
            TagEnd::Strikethrough => "del",
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(write(text), format!("<div class=\"markdown\">{expected}</div>"));
    }

    #[test]
    fn what_people_write_is_shown() {
        check(
            "# Goal\n\nIndex *rooms* by **name**.",
            "<h3>Goal</h3><p>Index <em>rooms</em> by <strong>name</strong>.</p>",
        );
        check("3. a\n4. b", "<ol start=\"3\"><li>a</li><li>b</li></ol>");
        check("- [x] done", "<ul><li>☑ done</li></ul>");
        check(
            "```rust\nlet a = 1 < 2;\n```",
            "<p class=\"faint\">rust</p><pre class=\"code\">\nlet a = 1 &lt; 2;\n</pre>",
        );
        check(
            "|a|b|\n|-|-|\n|1|2|",
            "<table><thead><tr><th>a</th><th>b</th></tr></thead><tr><td>1</td><td>2</td></tr></table>",
        );
    }

    #[test]
    fn links_and_images_stay_text() {
        check("[x](javascript:alert(1))", "<p>x <span class=\"target\">(javascript:alert(1))</span></p>");
        check(
            "![pixel](https://evil.example/?a=b&c)",
            "<p>pixel <span class=\"target\">(https://evil.example/?a=b&amp;c)</span></p>",
        );
        check("<https://a.example/>", "<p>https://a.example/</p>");
        check(
            "[\"><script>](<x\" onclick=\"y>)",
            "<p>&quot;&gt;&lt;script&gt; <span class=\"target\">(x&quot; onclick=&quot;y)</span></p>",
        );
    }

    #[test]
    fn markup_within_is_text() {
        for text in [
            "<img src=x onerror=alert(1)>",
            "<svg onload=alert(1)>",
            "a <b onclick=x>b</b>",
            "<!-- x -->",
            "<script>\n\nx</script>",
        ] {
            let written = write(text);
            let inner = written
                .replace("<div class=\"markdown\">", "")
                .replace("</div>", "")
                .replace("<p>", "")
                .replace("</p>", "");
            assert!(!inner.contains('<'), "{written}");
        }
        check("a\u{202e}b", "<p>a<span class=\"hidden-char\">U+202E</span>b</p>");
    }
}
