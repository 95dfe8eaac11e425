//! Names of locales, taken apart as ICU does.

use super::pack;

/// A locale by its parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ident {
    pub(super) language: String,
    pub(super) script: String,
    pub(super) region: String,
    pub(super) variants: Vec<String>,
    /// Further settings, by their names.
    pub(super) keywords: Vec<(String, String)>,
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'_' | b'-')
}

fn capitalised(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut letters = lower.chars();
    match letters.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + letters.as_str(),
        None => lower,
    }
}

/// The code of three letters, or another old one, as the one that is used.
fn shortened(language: String) -> String {
    const OLD: &[(&str, &str)] = &[
        ("ara", "ar"),
        ("ces", "cs"),
        ("cze", "cs"),
        ("dan", "da"),
        ("deu", "de"),
        ("ger", "de"),
        ("ell", "el"),
        ("gre", "el"),
        ("eng", "en"),
        ("spa", "es"),
        ("est", "et"),
        ("fin", "fi"),
        ("fra", "fr"),
        ("fre", "fr"),
        ("heb", "he"),
        ("hin", "hi"),
        ("hrv", "hr"),
        ("hun", "hu"),
        ("ind", "id"),
        ("ita", "it"),
        ("jpn", "ja"),
        ("kor", "ko"),
        ("lit", "lt"),
        ("lav", "lv"),
        ("nld", "nl"),
        ("dut", "nl"),
        ("nor", "no"),
        ("pol", "pl"),
        ("por", "pt"),
        ("ron", "ro"),
        ("rum", "ro"),
        ("rus", "ru"),
        ("slk", "sk"),
        ("slo", "sk"),
        ("slv", "sl"),
        ("srp", "sr"),
        ("swe", "sv"),
        ("tha", "th"),
        ("tur", "tr"),
        ("ukr", "uk"),
        ("vie", "vi"),
        ("zho", "zh"),
        ("chi", "zh"),
    ];
    match OLD.iter().find(|(old, _)| *old == language) {
        Some((_, short)) => (*short).to_owned(),
        None => language,
    }
}

fn short_region(region: String) -> String {
    match region.as_str() {
        "USA" => "US".to_owned(),
        "DEU" => "DE".to_owned(),
        "GBR" => "GB".to_owned(),
        "FRA" => "FR".to_owned(),
        _ => region,
    }
}

impl Ident {
    /// The parts of a name.
    pub(super) fn of(text: &str) -> Ident {
        let (name, keywords) = text.split_once('@').unwrap_or((text, ""));
        let name = name.split_once('.').map_or(name, |(name, _)| name);
        let mut ident = Ident::default();
        let bytes = name.as_bytes();
        let mut rest = name;
        // Names that begin with i- or x- are languages as a whole, as far as the next separator.
        let mut prefix = "";
        if bytes.len() > 2
            && matches!(bytes[0], b'i' | b'I' | b'x' | b'X')
            && is_separator(bytes[1])
        {
            prefix = if bytes[0].eq_ignore_ascii_case(&b'i') {
                "i-"
            } else {
                "x-"
            };
            rest = &name[2..];
        }
        let mut parts = rest.split(['_', '-']);
        let language = parts.next().unwrap_or_default().to_ascii_lowercase();
        ident.language = match prefix {
            "" => shortened(language),
            prefix => format!("{prefix}{language}"),
        };
        if ident.language == "root" {
            ident.language.clear();
        }
        let mut parts = parts.peekable();
        let is_script =
            |part: &&str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
        if let Some(script) = parts.next_if(is_script) {
            ident.script = capitalised(script);
        }
        let is_region = |part: &&str| {
            matches!(part.len(), 2 | 3) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        if let Some(region) = parts.next_if(is_region) {
            ident.region = short_region(region.to_ascii_uppercase());
        } else {
            // An empty region stands before variants.
            parts.next_if(|part| part.is_empty());
        }
        ident.variants = parts
            .filter(|part| !part.is_empty())
            .map(str::to_ascii_uppercase)
            .collect();
        // These are extensions as a whole.
        if matches!(ident.variants.first().map(String::as_str), Some("X" | "U")) {
            ident.variants.clear();
        }
        ident.keywords = keywords
            .split(';')
            .filter_map(|setting| setting.split_once('='))
            .map(|(key, value)| (key.trim().to_ascii_lowercase(), value.trim().to_owned()))
            .filter(|(key, value)| !key.is_empty() && !value.is_empty())
            .collect();
        ident.keywords.sort();
        ident.keywords.dedup_by(|one, other| one.0 == other.0);
        ident
    }

    /// The parts of a name that may be a language tag of BCP 47 with extensions.
    pub(super) fn of_tag(text: &str) -> Ident {
        if text.contains('@') {
            return Ident::of(text);
        }
        let parts: Vec<&str> = text.split(['_', '-']).collect();
        let Some(first) = parts.iter().position(|part| part.len() == 1) else {
            return Ident::of(text);
        };
        if first == 0 && (parts.len() == 1 || !matches!(parts[0], "x" | "X" | "i" | "I")) {
            return Ident::of(text);
        }
        let mut ident = Ident::of(&parts[..first].join("_"));
        let mut at = first;
        while at < parts.len() {
            let key = parts[at].to_ascii_lowercase();
            let end = match key.as_str() {
                "x" => parts.len(),
                _ => (at + 1..parts.len())
                    .find(|&next| parts[next].len() == 1)
                    .unwrap_or(parts.len()),
            };
            let values = &parts[at + 1..end];
            match key.as_str() {
                "u" => ident.add_unicode(values),
                // What is no extension but a whole tag.
                "i" if at == 0 => {
                    let value = text.to_ascii_lowercase().replace('_', "-");
                    ident.keywords.push(("x".to_owned(), value));
                }
                _ if values.is_empty() => {}
                _ => ident
                    .keywords
                    .push((key, values.join("-").to_ascii_lowercase())),
            }
            at = end;
        }
        ident.keywords.sort_by(|one, other| one.0.cmp(&other.0));
        ident.keywords.dedup_by(|one, other| one.0 == other.0);
        ident
    }

    /// The further settings of a name, which a language tag has as extensions.
    pub(super) fn settings_of(text: &str) -> Vec<(String, String)> {
        match text.contains('_') {
            true => Ident::of(text).keywords,
            false => Ident::of_tag(text).keywords,
        }
    }

    /// Adds what a Unicode extension says.
    fn add_unicode(&mut self, values: &[&str]) {
        let start = values.iter().position(|value| value.len() == 2);
        let (attributes, mut rest) = values.split_at(start.unwrap_or(values.len()));
        if !attributes.is_empty() {
            let value = attributes.join("-").to_ascii_lowercase();
            self.keywords.push(("attribute".to_owned(), value));
        }
        while let [key, more @ ..] = rest {
            let end = more
                .iter()
                .position(|value| value.len() == 2)
                .unwrap_or(more.len());
            let (values, next) = more.split_at(end);
            let value = values.join("-").to_ascii_lowercase();
            let key = key.to_ascii_lowercase();
            self.keywords.push(long_setting(&key, &value));
            rest = next;
        }
    }

    /// The name without further settings.
    pub(super) fn base(&self) -> String {
        let mut name = self.language.clone();
        for part in [&self.script, &self.region] {
            if !part.is_empty() {
                name.push('_');
                name.push_str(part);
            }
        }
        if !self.variants.is_empty() && self.region.is_empty() {
            name.push('_');
        }
        for variant in &self.variants {
            name.push('_');
            name.push_str(variant);
        }
        name
    }

    /// The whole name.
    pub(super) fn name(&self) -> String {
        let mut name = self.base();
        for (at, (key, value)) in self.keywords.iter().enumerate() {
            name.push(if at == 0 { '@' } else { ';' });
            name.push_str(key);
            name.push('=');
            name.push_str(value);
        }
        name
    }

    /// A further setting.
    pub(super) fn keyword(&self, key: &str) -> Option<&str> {
        let found = self.keywords.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.as_str())
    }
}

/// A setting of BCP 47 by ICU's names.
fn long_setting(key: &str, value: &str) -> (String, String) {
    let long = match key {
        "ca" => "calendar",
        "co" => "collation",
        "cu" => "currency",
        "ka" => "colalternate",
        "kb" => "colbackwards",
        "kc" => "colcaselevel",
        "kf" => "colcasefirst",
        "kk" => "colnormalization",
        "kn" => "colnumeric",
        "ks" => "colstrength",
        "nu" => "numbers",
        "tz" => "timezone",
        "va" => "va",
        key => key,
    };
    let value = match (key, value) {
        ("ca", "gregory") => "gregorian",
        ("ca", "ethioaa") => "ethiopic-amete-alem",
        ("co", "phonebk") => "phonebook",
        ("co", "dict") => "dictionary",
        ("co", "trad") => "traditional",
        ("co", "gb2312") => "gb2312han",
        (_, "" | "true") => "yes",
        (_, value) => value,
    };
    (long.to_owned(), value.to_owned())
}

/// The locale whose resources follow those of a locale.
pub(super) fn parent(locale: &str) -> Option<&str> {
    if locale == "root" {
        return None;
    }
    let stated = pack::root().find(&["main", locale, "%%Parent"]);
    if let Some(parent) = stated.and_then(pack::Node::text) {
        return Some(parent);
    }
    Some(
        locale
            .rfind('_')
            .map_or("root", |at| locale[..at].trim_end_matches('_')),
    )
}

/// The locale that there are resources of, for a name without further settings; nothing if there is none of its
/// language.
pub(super) fn available(base: &str) -> Option<String> {
    let main = pack::root().get("main")?;
    let aliases = pack::root().get("aliases")?;
    let mut name = base;
    loop {
        if let Some(alias) = aliases.get(name).and_then(pack::Node::text) {
            return Some(alias.to_owned());
        }
        if !name.is_empty() && name != "root" && main.get(name).is_some() {
            return Some(name.to_owned());
        }
        let at = name.rfind('_')?;
        name = name[..at].trim_end_matches('_');
    }
}

/// What the resources of a locale or of those it falls back on say.
pub(super) fn resource(bundle: &str, locale: &str, path: &[&str]) -> Option<pack::Node> {
    let bundle = pack::root().get(bundle)?;
    let mut name = locale;
    loop {
        let found = bundle.get(name).and_then(|resources| resources.find(path));
        if found.is_some() {
            return found;
        }
        name = parent(name)?;
    }
}

/// As [`resource`], a text.
pub(super) fn resource_text(bundle: &str, locale: &str, path: &[&str]) -> Option<&'static str> {
    resource(bundle, locale, path)?.text()
}
