//! The shells whose completion script `CUPEL_COMPLETE=SHELL cupel` prints.

use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};
use std::ffi::OsString;
use std::io::{Error, Write};
use std::path::Path;

/// All of them.
pub const ALL: Shells<'static> = Shells(&[&BashWithToolchains, &Elvish, &Fish, &Powershell, &Zsh]);

/// bash, where `@` ends a word. Names of contenders have one: the script puts the words together
/// before they are completed, and takes the part before the `@` off again.
struct BashWithToolchains;

const WITH_TOOLCHAINS: &str = r#"
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

impl EnvCompleter for BashWithToolchains {
    fn name(&self) -> &'static str {
        Bash.name()
    }

    fn is(&self, name: &str) -> bool {
        Bash.is(name)
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        bin: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        Bash.write_registration(variable, name, bin, completer, out)?;
        out.write_all(WITH_TOOLCHAINS.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut clap::Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        Bash.write_complete(command, words, folder, out)
    }
}
