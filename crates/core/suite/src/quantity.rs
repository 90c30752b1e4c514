//! Sizes, durations and percentages as people write them.

use std::time::Duration;

/// Bytes: `64`, `1 KiB`, `16KiB`, `1 MB`. `4KB` is rejected: some mean 4000 bytes with it and some
/// 4096.
///
/// # Errors
/// A sentence that names the form that may be meant, or lists the accepted ones.
pub fn size(text: &str) -> Result<u64, String> {
    if text.trim().starts_with('-') {
        return Err(format!("\"{}\" is not a size: a size cannot be negative", text.trim()));
    }
    let (number, unit) = split(text);
    let wrong = format!("\"{text}\" is not a size; write 64, \"1 KiB\" or \"1 MB\"");
    let too_large = format!("\"{text}\" is too large");
    let is_whole = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let Ok(number) = number.parse::<u64>() else {
        return Err(if is_whole { too_large } else { wrong });
    };
    let factor: u64 = match (unit, unit.to_ascii_lowercase().as_str()) {
        (_, "" | "b") => 1,
        ("kB", _) => 1_000,
        ("MB", _) => 1_000_000,
        ("GB", _) => 1_000_000_000,
        (_, "kib" | "k") => 1 << 10,
        (_, "mib" | "m") => 1 << 20,
        (_, "gib" | "g") => 1 << 30,
        (_, lower @ ("kb" | "mb" | "gb")) => {
            let [binary, decimal] = match lower {
                "kb" => ["K", "kB"],
                "mb" => ["M", "MB"],
                _ => ["G", "GB"],
            };
            let [binary, decimal] = [binary, decimal].map(|unit| format!("{number}{unit}"));
            let (more, less) = (size(&binary)?, size(&decimal)?);
            return Err(format!(
                "\"{text}\" is ambiguous: {binary} is {more} bytes, {decimal} is {less}"
            ));
        }
        _ => return Err(wrong),
    };
    number.checked_mul(factor).ok_or(too_large)
}

/// Whether a word is meant as a size, even if it is not a valid one: a number with letters after
/// it, as in `4KB` and `64X`, or a negative one. `2-way` may be a name.
pub fn is_meant_as_size(text: &str) -> bool {
    let (number, unit) = split(text.strip_prefix('-').unwrap_or(text));
    !number.is_empty() && unit.chars().all(|c| c.is_ascii_alphabetic())
}

/// A time: `90s`, `2m`, `500ms`, `1h`.
///
/// # Errors
/// A sentence that lists the accepted forms.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let wrong = format!("\"{text}\" is not a time; write \"90s\", \"2m\" or \"500ms\"");
    let seconds = match unit {
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong),
    };
    let Ok(number) = number.parse::<f64>() else { return Err(wrong) };
    let total = number * seconds;
    if !(0.001..=86400.0 * 7.0).contains(&total) {
        return Err(format!("\"{text}\" is not between 1 ms and 7 days"));
    }
    Ok(Duration::from_secs_f64(total))
}

/// A time on the command line. A number alone is rejected, because it could mean seconds or
/// minutes.
///
/// # Errors
/// A sentence that says which unit is missing, or lists the accepted forms.
pub fn duration_with_unit(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    if unit.is_empty() && number.parse::<f64>().is_ok() {
        return Err(format!("\"{text}\" has no unit; write {number}s, {number}m or {number}ms"));
    }
    duration(text)
}

/// A share on the command line. A number alone is rejected, because `0.5` could mean 0.5 % or 50 %.
///
/// # Errors
/// A sentence that says which unit is missing, or lists the accepted forms.
pub fn percent_with_unit(text: &str) -> Result<f64, String> {
    if let Ok(number) = text.trim().parse::<f64>()
        && (0.0..=100.0 * MOST_SHARE).contains(&number)
    {
        let larger = (number * 1e8).round() / 1e6;
        let larger = Some(larger).filter(|percent| *percent <= 100.0 * MOST_SHARE);
        let larger = larger.map_or(String::new(), |percent| format!(" or {percent}%"));
        return Err(format!("\"{text}\" has no unit; write {number}%{larger}"));
    }
    let has_unit = text.trim().ends_with('%');
    percent(text)
        .ok()
        .filter(|_| has_unit)
        .ok_or_else(|| format!("\"{text}\" is not a share; write \"2%\", up to \"50%\""))
}

/// A share: `2%` or `0.02`, from 0 up to 50 %.
///
/// # Errors
/// A sentence that lists the accepted forms.
pub fn percent(text: &str) -> Result<f64, String> {
    share(text)
        .filter(|share| (0.0..=MOST_SHARE).contains(share))
        .ok_or_else(|| format!("\"{text}\" is not a share; write \"2%\" or 0.02, up to \"50%\""))
}

/// How far a factor may be off: `20%`, from 0 up to 400 %, which is a factor of five either way.
///
/// # Errors
/// A sentence that lists the accepted forms.
pub fn tolerance(text: &str) -> Result<f64, String> {
    share(text)
        .filter(|share| (0.0..=MOST_TOLERANCE).contains(share))
        .ok_or_else(|| format!("\"{text}\" is not a tolerance; write \"20%\", up to \"400%\""))
}

/// How many times as fast, from a millionth to a million: `1.5`.
///
/// # Errors
/// A sentence that defines a ratio.
pub fn ratio(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok();
    number.filter(|ratio| (1e-6..=1e6).contains(ratio)).ok_or_else(|| {
        format!("\"{text}\" is not a ratio; write how many times as fast, such as 1.5")
    })
}

/// The largest share of a time.
const MOST_SHARE: f64 = 0.5;

/// The largest tolerance.
const MOST_TOLERANCE: f64 = 4.0;

fn share(text: &str) -> Option<f64> {
    match text.trim().strip_suffix('%') {
        Some(number) => number.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
        None => text.trim().parse().ok(),
    }
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..at], text[at..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_decimal_and_binary_units() {
        assert_eq!(size("64"), Ok(64));
        assert_eq!(size("16 KiB"), Ok(16384));
        assert_eq!(size("100MB"), Ok(100_000_000));
        assert_eq!(size("1 kB"), Ok(1000));
        assert_eq!(
            (size("1 GiB"), size("1G"), size("1 GB")),
            (Ok(1 << 30), Ok(1 << 30), Ok(1_000_000_000))
        );
        for (text, alternatives) in [
            ("4KB", "\"4KB\" is ambiguous: 4K is 4096 bytes, 4kB is 4000"),
            ("4 kb", "is ambiguous: 4K is 4096 bytes, 4kB is 4000"),
            ("1mb", "1M is 1048576 bytes, 1MB is 1000000"),
            ("1gb", "1G is 1073741824 bytes, 1GB is 1000000000"),
        ] {
            assert!(size(text).is_err_and(|e| e.contains(alternatives)), "{text}");
        }
        for size in ["4KB", "4.5", "2gb", "2 TiB", "64X", "-64"] {
            assert!(is_meant_as_size(size), "{size}");
        }
        assert!(!is_meant_as_size("2-way") && !is_meant_as_size("k"));
        assert!(size("16 furlongs").is_err());
        for large in [
            "99999999999999999 MiB",
            "99999999999999999 mb",
            "99999999999999999999",
            "99999999999999999999 KiB",
        ] {
            assert!(size(large).is_err_and(|e| e.ends_with("is too large")), "{large}");
        }
        for negative in ["-1", " -4K", "-0"] {
            assert!(size(negative).is_err_and(|e| e.ends_with("a size cannot be negative")));
        }
    }

    #[test]
    fn unreasonable_times_and_shares_are_refused() {
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert!(duration("0s").is_err());
        assert!(duration("NaNs").is_err());
        assert_eq!(duration_with_unit("20s"), Ok(Duration::from_secs(20)));
        assert!(duration_with_unit("20").is_err_and(|e| e.contains("write 20s, 20m or 20ms")));
        assert!(duration_with_unit("soon").is_err_and(|e| e.contains("is not a time")));
        assert_eq!(percent_with_unit("0.5%"), Ok(0.005));
        assert!(percent_with_unit("0.5").is_err_and(|e| e.contains("write 0.5% or 50%")));
        assert_eq!(percent_with_unit("2").unwrap_err(), "\"2\" has no unit; write 2%");
        assert!(percent_with_unit("0.07").is_err_and(|e| e.ends_with("write 0.07% or 7%")));
        for wrong in ["NaN", "60", "60%"] {
            let expected = format!("\"{wrong}\" is not a share; write \"2%\", up to \"50%\"");
            assert_eq!(percent_with_unit(wrong).unwrap_err(), expected);
        }
        assert_eq!(percent("2%"), Ok(0.02));
        assert_eq!(percent("0.5"), Ok(0.5));
        assert!(percent("200%").is_err());
        assert!(percent("NaN").is_err());
    }

    #[test]
    fn a_tolerance_may_be_wide() {
        assert_eq!(tolerance("20%"), Ok(0.2));
        assert_eq!(tolerance("100 %"), Ok(1.0));
        assert_eq!(tolerance("400%"), Ok(4.0));
        for wrong in ["401%", "-1%", "NaN", "NaN%", "inf%", "much", "%"] {
            assert!(tolerance(wrong).is_err_and(|e| e.contains("\"400%\"")), "{wrong}");
        }
    }

    #[test]
    fn a_ratio_is_positive_and_finite() {
        assert_eq!(ratio("0.8"), Ok(0.8));
        assert_eq!(ratio("1000000"), Ok(1e6));
        for wrong in ["0", "-2", "inf", "NaN", "1e7", "1e-7", "", "1.5x"] {
            assert!(ratio(wrong).is_err_and(|e| e.contains("is not a ratio")), "{wrong}");
        }
    }
}
