//! Which wing a session belongs to: that of the project that it worked on.

use std::path::Path;

use loggia_domain::palace::letters::is_word;

/// The longest name of a project, in characters.
const MAX_CHARS: usize = 120;
/// Where people keep projects; such a folder below the home names none.
const PARENTS: [&str; 7] = ["projects", "code", "dev", "src", "work", "git", "documents"];
/// The wing of a session of which nothing is known.
const UNKNOWN: &str = "sessions";

/// The project of a session as a part of a wing's name: by the folder that its transcript names, else by the folder in which the
/// transcript lies, else by where the agent says it is.
pub(super) fn slug(transcript: Option<&str>, cwd: Option<&str>, agents_cwd: Option<&str>, home: &Path) -> String {
    let home = home.to_string_lossy();
    let name = cwd
        .and_then(project)
        .or_else(|| transcript.and_then(|path| encoded(path, &home)))
        .or_else(|| transcript.and_then(|path| after(path, "-Projects-").map(str::to_owned)))
        .or_else(|| agents_cwd.and_then(project));
    name.map(|name| part_of_name(&name)).filter(|slug| !slug.is_empty()).unwrap_or_else(|| UNKNOWN.to_owned())
}

/// The last part of a folder. A working tree of an agent belongs to the project that it lies in.
fn project(cwd: &str) -> Option<String> {
    let cwd = cwd.replace('\\', "/");
    let cwd = cwd.split("/.claude/worktrees/").next()?.trim_end_matches('/');
    cwd.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// What Claude Code's folder of a project says: its path, with `-` for whatever is no letter or digit.
fn encoded(transcript: &str, home: &str) -> Option<String> {
    let folder = after(transcript, "/.claude/projects/").filter(|folder| folder.starts_with('-'))?;
    let home: String = home.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let below = folder.strip_prefix(home.trim_end_matches('-')).unwrap_or(folder);
    let mut name = below.split("--claude-worktrees-").next()?.trim_start_matches('-');
    if name.is_empty() {
        // In the home itself, which is named after its owner.
        name = home.rsplit('-').next()?;
    }
    if let Some((parent, rest)) = name.split_once('-')
        && !rest.is_empty()
        && PARENTS.contains(&parent.to_lowercase().as_str())
    {
        name = rest;
    }
    Some(name.to_owned())
}

/// The part of a path that follows a mark.
fn after<'a>(path: &'a str, mark: &str) -> Option<&'a str> {
    let (_, rest) = path.split_once(mark)?;
    rest.split('/').next().filter(|name| !name.is_empty())
}

/// Lower case, and `_` for what a wing's name cannot hold.
fn part_of_name(name: &str) -> String {
    let mut slug = String::new();
    for c in name.trim().to_lowercase().chars() {
        match c {
            '.' if slug.ends_with('.') => {}
            c if is_word(c) || matches!(c, '.' | '\'') => slug.push(c),
            _ => slug.push('_'),
        }
    }
    let slug: String = slug.chars().take(MAX_CHARS).collect();
    slug.trim_matches(['_', '.', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use loggia_domain::palace::name;

    use super::slug;

    #[track_caller]
    fn check(transcript: Option<&str>, cwd: Option<&str>, agents_cwd: Option<&str>, expected: &str) {
        let slug = slug(transcript, cwd, agents_cwd, Path::new("/users/ana"));
        assert_eq!(slug, expected);
        let wing = format!("wing_{slug}");
        assert_eq!(name::required("wing", wing.as_str().into()).as_deref(), Ok(wing.as_str()));
    }

    #[test]
    fn the_folder_that_the_transcript_names_counts_first() {
        check(
            Some("/x/.claude/projects/-users-ana-code-other/t.jsonl"),
            Some("/srv/My Pro-ject.x"),
            Some("/y"),
            "my_pro_ject.x",
        );
        check(None, Some("/srv/atlas/.claude/worktrees/fix-1"), None, "atlas");
        check(None, Some("C:\\work\\Atlas\\"), None, "atlas");
        check(None, Some("/users/ana/"), None, "ana");
        check(None, Some("/srv/..a...b'.."), None, "a.b");
        check(None, Some("/srv/e\u{301}té 中文"), None, "e_té_中文");
        check(None, Some(&format!("/srv/{}", "x".repeat(200))), None, &"x".repeat(120));
    }

    #[test]
    fn then_the_folder_in_which_the_transcript_lies() {
        check(Some("/users/ana/.claude/projects/-users-ana-Projects-my-app/t.jsonl"), None, Some("/y"), "my_app");
        check(Some("/users/ana/.claude/projects/-users-ana-atlas/t.jsonl"), None, None, "atlas");
        check(Some("/users/ana/.claude/projects/-users-ana/t.jsonl"), None, None, "ana");
        check(Some("/old/x-Projects-gallery/t.jsonl"), None, None, "gallery");
    }

    #[test]
    fn then_where_the_agent_is_and_then_nothing() {
        check(Some("/tmp/t.jsonl"), None, Some("/srv/atlas"), "atlas");
        check(Some("/tmp/t.jsonl"), Some("/"), None, "sessions");
        check(None, Some("/srv/---"), None, "sessions");
        check(None, None, None, "sessions");
    }
}
