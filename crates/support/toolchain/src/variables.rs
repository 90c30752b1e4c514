//! The variables that a family's file declares for a contender, besides those that you have set.

use crate::absent::Absent;
use cupel_protocol::message::Refusal;

/// Variables that take several options, and their separators. A later option wins.
const LISTS: [(&str, char); 2] = [("JAVA_TOOL_OPTIONS", ' '), ("GODEBUG", ',')];

/// The declared variables, as `NAME=value`. The value of the variable in `set` is kept before the
/// declared options, because the default has it too.
///
/// # Errors
/// For a forced path, if a variable is set that cannot have both values: the path would differ from
/// the default by more than the forced choice.
pub fn variables(
    declared: &[String],
    forces: bool,
    set: impl Fn(&str) -> Option<String>,
) -> Result<Vec<String>, Absent> {
    let mut all = Vec::new();
    for variable in declared {
        let (name, value) = variable.split_once('=').unwrap_or((variable, ""));
        let users = set(name).filter(|users| !users.is_empty());
        let list = LISTS.iter().find(|(list, _)| *list == name);
        all.push(match (users, list) {
            (Some(users), Some((_, separator))) => format!("{name}={users}{separator}{value}"),
            (Some(_), None) if forces => {
                let reason =
                    format!("{name} is set already, so the default is not the library's own");
                let remedy = Some(format!("unset {name}"));
                return Err(Absent::Missing(Refusal { reason, remedy }));
            }
            _ => variable.clone(),
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(users: &str, declared: &str, forces: bool) -> Result<Vec<String>, Absent> {
        let (name, value) = users.split_once('=').unwrap();
        let set = |asked: &str| (asked == name).then(|| value.to_string());
        variables(&[declared.to_string()], forces, set)
    }

    #[test]
    fn a_forced_path_keeps_what_you_have_set() {
        let java = "JAVA_TOOL_OPTIONS=-XX:-UseAES";
        let both = "JAVA_TOOL_OPTIONS=-Xint -XX:-UseAES";
        assert_eq!(with("JAVA_TOOL_OPTIONS=-Xint", java, true), Ok(vec![both.to_string()]));
        assert_eq!(with("JAVA_TOOL_OPTIONS=", java, true), Ok(vec![java.to_string()]));
        assert_eq!(with("GODEBUG=cpu.sha=off", java, true), Ok(vec![java.to_string()]));
        let go = vec!["GODEBUG=fips140=on,cpu.aes=off".to_string()];
        assert_eq!(with("GODEBUG=fips140=on", "GODEBUG=cpu.aes=off", true), Ok(go));
    }

    #[test]
    fn a_variable_that_cannot_have_both_values_forces_nothing() {
        let mask = "OPENSSL_ia32cap=:~0x20000000";
        let Err(Absent::Missing(why)) = with("OPENSSL_ia32cap=~0x2", mask, true) else {
            panic!("the default would have another mask");
        };
        assert!(why.reason.starts_with("OPENSSL_ia32cap is set already"), "{why}");
        assert_eq!(why.remedy.as_deref(), Some("unset OPENSSL_ia32cap"));
        assert_eq!(with("OPENSSL_ia32cap=~0x2", mask, false), Ok(vec![mask.to_string()]));
    }
}
