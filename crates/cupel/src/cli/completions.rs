//! `cupel completions SHELL`.

use super::{Exit, complete};
use anyhow::Result;
use clap_complete::env::Shells;

/// Print the completion script for a shell
///
/// The script asks cupel itself, so it completes the suites and contenders of your checkout too.
#[derive(clap::Args)]
#[command(after_help = "\
Examples, for ~/.bashrc, ~/.zshrc and ~/.config/fish/config.fish:
  source <(cupel completions bash)
  source <(cupel completions zsh)
  cupel completions fish | source")]
pub struct Args {
    /// The shell
    #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
    shell: String,
}

/// For bash, `@` ends a word, and names have one: the words are put together before they are
/// completed, and what stands before the `@` is taken off again.
const BASH: &str = r#"
_cupel_with_toolchains() {
    local joined=() word last place=0 i
    for i in "${!COMP_WORDS[@]}"; do
        word=${COMP_WORDS[i]}
        last=$((${#joined[@]} - 1))
        if [[ $last -gt 0 && ($word == @* || ${joined[last]} == *@) ]]; then
            joined[last]+=$word
        else
            joined+=("$word")
        fi
        if [[ $i -eq $COMP_CWORD ]]; then
            place=$((${#joined[@]} - 1))
        fi
    done
    local whole=${joined[place]}
    local COMP_WORDS=("${joined[@]}") COMP_CWORD=$place
    _clap_complete_cupel "$1" "$whole" "$3"
    if [[ $whole == *@* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${whole%@*}@"}")
    fi
}
complete -o nospace -o bashdefault -F _cupel_with_toolchains cupel
"#;

pub fn run(args: &Args) -> Result<Exit> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell).expect("every shell of the list has one");
    // By its name on the path: a script that is installed must outlive this build.
    shell.write_registration(complete::VARIABLE, "cupel", "cupel", "cupel", &mut script)?;
    let more = if args.shell == "bash" { BASH } else { "" };
    super::print(&(String::from_utf8(script)? + more))?;
    Ok(Exit::Well)
}
