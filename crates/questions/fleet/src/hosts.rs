//! Reads `hosts.toml`: the machines that ssh reaches.

use super::state::{Host, Member, check_name};
use cupel_base::problem::{Problem, text_of};
use serde::Deserialize;
use serde_spanned::Spanned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    host: Vec<Line>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    address: Spanned<String>,
    name: Option<Spanned<String>>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<Spanned<String>, String>,
    tool: Option<Spanned<PathBuf>>,
    home: Option<String>,
    folder: Option<Spanned<String>>,
}

/// Reads the machines of a file.
///
/// # Errors
/// Its first mistake, with the line.
pub fn read(path: &Path) -> Result<Vec<Member>, Problem> {
    let text = text_of(path)?;
    let written: Written = toml::from_str(&text).map_err(|e| Problem::of_toml(path, &text, &e))?;
    if written.host.is_empty() {
        return Err(Problem::whole(path, "there is no host").help("add a table [[host]]"));
    }
    let mut members: Vec<Member> = Vec::new();
    for line in written.host {
        let at = |offset: usize, what: String| Problem::at(path, &text, offset, what);
        let address = line.address.get_ref();
        // ssh would take it for an option, and options can start programs.
        if address.is_empty() || address.starts_with('-') || address.contains(char::is_whitespace) {
            let what = format!(
                "{address:?} is not an address: it is empty, begins with -, or has a space"
            );
            let help = "options of ssh, such as [\"-p\", \"2222\"], belong in `options`";
            return Err(at(line.address.span().start, what).help(help));
        }
        let (name, offset) = match &line.name {
            Some(name) => (name.get_ref().clone(), name.span().start),
            // Without the user's name.
            None => {
                let host = address.rsplit_once('@').map_or(address.as_str(), |(_, host)| host);
                (host.replace(':', "-"), line.address.span().start)
            }
        };
        if let Err(what) = check_name(&name) {
            return Err(at(offset, what).help("give it another one with `name`"));
        }
        if members.iter().any(|member| member.name == name) {
            let what = format!("a second host is named {name}");
            return Err(at(offset, what).help("give each its own `name`"));
        }
        for (variable, value) in &line.environment {
            if !is_variable(variable.get_ref()) || value.contains('\0') {
                let what = format!(
                    "{:?} cannot be the name of an environment variable",
                    variable.get_ref()
                );
                return Err(at(variable.span().start, what));
            }
        }
        if let Some(tool) = &line.tool
            && !tool.get_ref().is_file()
        {
            let what = format!("there is no file {}", tool.get_ref().display());
            return Err(at(tool.span().start, what)
                .help("`tool` is a cupel on this machine that was built for that host"));
        }
        if let Some(folder) = &line.folder
            && !folder.get_ref().starts_with('/')
        {
            let what = "`folder` is a folder on that host: it begins with /".to_string();
            return Err(at(folder.span().start, what));
        }
        members.push(Member {
            name,
            environment: line
                .environment
                .into_iter()
                .map(|(variable, value)| (variable.into_inner(), value))
                .collect(),
            host: Some(Host {
                address: line.address.into_inner(),
                options: line.options,
                tool: line.tool.map(Spanned::into_inner),
                home: line.home,
                folder: line.folder.map(Spanned::into_inner),
            }),
        });
    }
    Ok(members)
}

/// Whether a text can name a variable.
pub fn is_variable(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Result<Vec<Member>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hosts.toml");
        std::fs::write(&path, text).unwrap();
        read(&path).map_err(|problem| {
            problem.to_string().replace(&format!("{}/", folder.path().display()), "")
        })
    }

    #[test]
    fn a_host_needs_only_an_address() {
        let members = said("[[host]]\naddress = 'me@10.0.0.2'\n[[host]]\naddress = 'epyc'\nenvironment = { CUPEL_CPU = 'none' }").unwrap();
        let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["10.0.0.2", "epyc"]);
        assert_eq!(members[1].environment["CUPEL_CPU"], "none");
    }

    #[test]
    fn a_mistake_has_its_line() {
        for (text, expected) in [
            (
                "[[host]]\naddress = '-oProxyCommand=id'",
                "hosts.toml:2: \"-oProxyCommand=id\" is not an address",
            ),
            (
                "[[host]]\naddress = 'a'\n\n[[host]]\naddress = 'a'",
                "hosts.toml:5: a second host is named a",
            ),
            (
                "[[host]]\naddress = 'a'\nname = '../x'",
                "hosts.toml:3: \"../x\" cannot name a machine",
            ),
            ("[[host]]\naddress = 'a'\nport = 22", "hosts.toml:3: unknown field"),
            ("[[host]]\naddress = 'a'\ntool = '/nonexistent'", "hosts.toml:3: there is no file"),
            ("[[host]]\naddress = 'a'\nfolder = 'scratch'", "hosts.toml:3: `folder` is"),
            (
                "[[host]]\naddress = 'a'\nenvironment = { 'A;B' = '1' }",
                "hosts.toml:3: \"A;B\" cannot be",
            ),
            ("host = []", "hosts.toml:1: there is no host"),
        ] {
            let said = said(text).unwrap_err();
            assert!(said.starts_with(expected), "{text}: {said}");
        }
    }
}
