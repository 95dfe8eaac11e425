//! The parser of native signatures.
//!
//! ```text
//! signature  = [ marker ] { modifier } [ "function" ] [ "&" ] name
//!              "(" [ parameter { "," parameter } [ "," ] ] ")" [ ":" type ]
//! marker     = "#[Deprecated(" string [ "," string ] ")]" | "#[Frameless(" number { "," number } ")]"
//!            | "#[Expects(" text ")]" | "#[Unconverted]" | "#[Uncounted]"
//!            | "#[Unchecked(" argument { ", " argument } [ ", at least " number ] ")]"
//! argument   = number | "variadic"
//! parameter  = [ "#[SensitiveParameter]" ] [ type ] [ "&" [ "?" ] ] [ "..." [ "?" ] ] "$" name [ "=" default ]
//! default    = "UNKNOWN" | term { "|" term }
//! term       = number | string | "[]" | constant | class "::" constant
//! ```
//! A type `path` is a string without zero bytes, `class_name` one that everything is converted to. `&?$x` is a parameter that takes a reference if it gets one, `...?$x` one that takes arguments with
//! unknown names, too. `#[Unconverted]` says that nothing becomes a string where a parameter of several
//! types takes one, and that what is passed by reference comes as it is. `#[Unchecked]` names the arguments
//! (from 1) that the function itself looks at, because it checks others first, and perhaps how many arguments it
//! asks for at least. `#[Uncounted]` says that more arguments are not refused. Signatures are part of the engine: an error in one is a defect, found by the test that
//! parses them all, and panics.

use std::sync::Arc;

use crate::function::{NativeDefinition, Parameter, PassBy, Type, TypeName, flags, type_mask};
use crate::op_array::LiteralPool;
use crate::value::{REFERENCE, Zval};

/// A parsed signature.
#[derive(Debug)]
pub struct Signature {
    /// Name as declared.
    pub name: &'static str,
    /// Modifiers and properties, see [`flags`]. Methods without a visibility are public.
    pub flags: u32,
    /// Parameters, the variadic one last.
    pub parameters: Arc<[Parameter]>,
    /// Declared parameters, without a variadic one.
    pub parameter_count: u32,
    /// Parameters without a default.
    pub required_count: u32,
    /// Return type.
    pub return_type: Option<Type>,
}

/// The name in a signature: all that is read at start-up.
pub fn signature_name(signature: &'static str) -> &'static str {
    let rest = split_marker(signature).1;
    let end = memchr::memchr(b'(', rest.as_bytes()).unwrap_or(rest.len());
    let head = &rest[..end];
    let start = memchr::memrchr(b' ', head.as_bytes()).map_or(0, |space| space + 1);
    head[start..].trim_start_matches('&')
}

/// Splits off the marker.
pub(crate) fn split_marker(signature: &'static str) -> (Option<&'static str>, &'static str) {
    match signature.strip_prefix("#[") {
        Some(rest) => match rest.split_once(']') {
            Some((marker, rest)) => (Some(marker), rest.trim_start()),
            None => (None, signature),
        },
        None => (None, signature),
    }
}

/// True if the type of parameter `number` of a signature is the word `kind`, or that or null.
pub(super) fn takes(kind: &str, signature: &'static str, number: u32) -> bool {
    let Some((_, parameters)) = split_marker(signature).1.split_once('(') else {
        return false;
    };
    let parameter = parameters.split(',').nth(number as usize);
    parameter.is_some_and(|parameter| {
        let parameter = parameter.trim_start();
        let declared = parameter.strip_prefix('?').unwrap_or(parameter);
        (declared.strip_prefix(kind)).is_some_and(|rest| rest.starts_with(' '))
    })
}

/// Parses the signature of `definition`. Strings go into `pool`, constants are asked of `constant`
/// (their name, `A::B` for a class constant); one it does not know counts as `UNKNOWN`.
pub fn parse_signature(
    pool: &mut LiteralPool,
    definition: &NativeDefinition,
    constant: &mut dyn FnMut(&str) -> Option<Zval>,
) -> Signature {
    let (marker, rest) = split_marker(definition.signature);
    let mut parser = Parser {
        source: definition.signature,
        rest: rest.trim_start(),
        pool,
        constant,
        collects_named: false,
    };
    let mut flags = match marker {
        Some(marker) if marker.starts_with("Deprecated") => flags::DEPRECATED,
        _ => 0,
    };
    flags |= parser.modifiers();
    let name = parser.name();
    parser.expect("(");
    let mut parameters = Vec::new();
    while !parser.accept(")") {
        parameters.push(parser.parameter());
        if !parser.accept(",") {
            parser.expect(")");
            break;
        }
    }
    let return_type = parser.accept(":").then(|| parser.type_expression());
    if !parser.rest.is_empty() {
        parser.fail("the end");
    }
    if parser.collects_named {
        flags |= flags::COLLECTS_NAMED;
    }
    finish(name, flags, parameters, return_type)
}

/// Parses a type that stands alone (that of a native property).
pub fn parse_type(pool: &mut LiteralPool, text: &'static str) -> Type {
    Parser {
        source: text,
        rest: text,
        pool,
        constant: &mut |_| None,
        collects_named: false,
    }
    .type_expression()
}

fn finish(
    name: &'static str,
    mut flags: u32,
    parameters: Vec<(Parameter, bool)>,
    return_type: Option<Type>,
) -> Signature {
    let variadic = parameters
        .last()
        .is_some_and(|(parameter, _)| parameter.variadic);
    let parameter_count = (parameters.len() - variadic as usize) as u32;
    let required_count = parameters
        .iter()
        .position(|(parameter, has_default)| *has_default || parameter.variadic)
        .unwrap_or(parameters.len()) as u32;
    if variadic {
        flags |= flags::VARIADIC;
    }
    if return_type.is_some() {
        flags |= flags::HAS_RETURN_TYPE;
    }
    if flags & flags::VISIBILITY == 0 {
        flags |= flags::PUBLIC;
    }
    Signature {
        name,
        flags: flags | flags::HAS_TYPE_HINTS,
        parameters: parameters
            .into_iter()
            .map(|(parameter, _)| parameter)
            .collect(),
        parameter_count,
        required_count,
        return_type,
    }
}

struct Parser<'a> {
    source: &'static str,
    rest: &'static str,
    pool: &'a mut LiteralPool,
    constant: &'a mut dyn FnMut(&str) -> Option<Zval>,
    /// The variadic parameter takes unknown names.
    collects_named: bool,
}

impl Parser<'_> {
    #[cold]
    fn fail(&self, expected: &str) -> ! {
        panic!(
            "signature {:?}: expected {expected} at {:?}",
            self.source, self.rest
        )
    }

    fn accept(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) {
        if !self.accept(token) {
            self.fail(token);
        }
    }

    fn word(&mut self) -> &'static str {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\\';
        let end = self
            .rest
            .bytes()
            .position(|byte| !is_part(byte))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn name(&mut self) -> &'static str {
        let name = self.word();
        if name.is_empty() {
            self.fail("a name");
        }
        name
    }

    fn modifiers(&mut self) -> u32 {
        let mut flags = 0;
        loop {
            let before = self.rest;
            flags |= match self.word() {
                "public" => flags::PUBLIC,
                "protected" => flags::PROTECTED,
                "private" => flags::PRIVATE,
                "static" => flags::STATIC,
                "final" => flags::FINAL,
                "abstract" => flags::ABSTRACT,
                "tentative" => flags::TENTATIVE_RETURN_TYPE,
                "function" => 0,
                _ => {
                    self.rest = before;
                    if self.accept("&") {
                        flags |= flags::RETURN_REFERENCE;
                        continue;
                    }
                    return flags;
                }
            };
        }
    }

    /// A parameter, and whether it may be left out.
    fn parameter(&mut self) -> (Parameter, bool) {
        let sensitive = self.accept("#[SensitiveParameter]");
        let starts_plain = self.rest.starts_with(['$', '&', '.']);
        let mut declared = (!starts_plain).then(|| self.type_expression());
        let pass_by = match self.accept("&") {
            true if self.accept("?") => PassBy::PreferReference,
            true => PassBy::Reference,
            false => PassBy::Value,
        };
        if let Some(declared) = &mut declared
            && pass_by != PassBy::Value
            && declared.is_mixed()
        {
            declared.mask |= 1 << REFERENCE;
        }
        let variadic = self.accept("...");
        self.collects_named |= variadic && self.accept("?");
        self.expect("$");
        let name = self.name();
        let has_default = self.accept("=");
        let source = self.rest;
        let default = if has_default {
            self.default()
        } else {
            Zval::UNDEF
        };
        let source = source[..source.len() - self.rest.len()].trim_end();
        let parameter = Parameter {
            name: self.pool.string(name.as_bytes()),
            declared,
            pass_by,
            variadic,
            promoted: 0,
            default,
            default_source: if source == "UNKNOWN" { "" } else { source },
            sensitive,
            attributes: Vec::new(),
        };
        (parameter, has_default)
    }

    fn default(&mut self) -> Zval {
        if self.accept("UNKNOWN") {
            return Zval::UNDEF;
        }
        let mut value = self.term();
        loop {
            let (one, is_product) = (value, self.accept("*"));
            if !is_product && !self.accept("|") {
                return value;
            }
            let other = self.term().long();
            value = Zval::from_long(match is_product {
                true => one.long().wrapping_mul(other),
                false => one.long() | other,
            });
        }
    }

    fn term(&mut self) -> Zval {
        if self.accept("[]") {
            return Zval::from_any_array(crate::array::empty_array());
        }
        let quote = self.rest.as_bytes().first().copied();
        if let Some(quote @ (b'"' | b'\'')) = quote {
            return self.string_literal(quote as char);
        }
        if self
            .rest
            .starts_with(|first: char| first.is_ascii_digit() || first == '-')
        {
            return self.number();
        }
        let name = self.name();
        match name {
            "null" => return Zval::NULL,
            "true" => return Zval::from_bool(true),
            "false" => return Zval::from_bool(false),
            _ => {}
        }
        let value = if self.accept("::") {
            let member = self.name();
            (self.constant)(&format!("{name}::{member}"))
        } else {
            (self.constant)(name)
        };
        match value {
            Some(value) if value.kind() == crate::value::STRING => {
                // SAFETY: I3: a constant's string is live while it is copied.
                let bytes = unsafe { (*value.string()).as_bytes() };
                self.pool.string_value(bytes)
            }
            Some(value) => value,
            None => Zval::UNDEF,
        }
    }

    fn string_literal(&mut self, quote: char) -> Zval {
        let body = &self.rest[1..];
        let mut text = String::new();
        let mut characters = body.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some((_, 'n')) if quote == '"' => text.push('\n'),
                    Some((_, 't')) if quote == '"' => text.push('\t'),
                    Some((_, 'r')) if quote == '"' => text.push('\r'),
                    Some((_, 'f')) if quote == '"' => text.push('\x0c'),
                    Some((_, 'v')) if quote == '"' => text.push('\x0b'),
                    Some((_, '0')) if quote == '"' => text.push('\0'),
                    Some((_, 'x')) if quote == '"' => {
                        // Two hexadecimal digits.
                        let digits = body.get(at + 2..at + 4).unwrap_or_default();
                        text.push(u8::from_str_radix(digits, 16).unwrap_or_default() as char);
                        characters.nth(1);
                    }
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                character if character == quote => {
                    self.rest = body[at + 1..].trim_start();
                    return self.pool.string_value(text.as_bytes());
                }
                character => text.push(character),
            }
        }
        self.fail("the end of the string")
    }

    fn number(&mut self) -> Zval {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
        let end = self
            .rest
            .bytes()
            .position(|byte| !is_part(byte))
            .unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        if let Some(digits) = text.strip_prefix("0x") {
            return Zval::from_long(i64::from_str_radix(digits, 16).unwrap_or_default());
        }
        if let Some(digits) = text.strip_prefix('0')
            && !digits.is_empty()
            && digits.bytes().all(|digit| digit.is_ascii_digit())
        {
            return Zval::from_long(i64::from_str_radix(digits, 8).unwrap_or_default());
        }
        match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(long), _) => Zval::from_long(long),
            (_, Ok(double)) => Zval::from_double(double),
            _ => self.fail("a number"),
        }
    }

    fn type_expression(&mut self) -> Type {
        let mut declared = Type::default();
        if self.accept("?") {
            declared.mask |= type_mask::NULL;
        }
        loop {
            if self.accept("(") {
                let intersection = self.intersection();
                declared.classes.push(intersection);
                self.expect(")");
            } else {
                self.alternative(&mut declared);
            }
            if !self.accept("|") {
                return declared;
            }
        }
    }

    fn alternative(&mut self, declared: &mut Type) {
        let name = self.name();
        match built_in(name) {
            Some(mask) => declared.mask |= mask,
            None => {
                let mut intersection = vec![self.class(name)];
                // `A&B`, but `A &$x` and `A &...$x` are by reference.
                while self.rest.starts_with('&')
                    && self.rest[1..]
                        .trim_start()
                        .starts_with(|next: char| next.is_ascii_alphabetic())
                {
                    self.expect("&");
                    let name = self.name();
                    intersection.push(self.class(name));
                }
                declared.classes.push(intersection);
            }
        }
    }

    fn intersection(&mut self) -> Vec<TypeName> {
        let mut names = Vec::new();
        loop {
            let name = self.name();
            names.push(self.class(name));
            if !self.accept("&") {
                return names;
            }
        }
    }

    fn class(&mut self, name: &str) -> TypeName {
        let lowercase = name.to_ascii_lowercase();
        TypeName {
            name: self.pool.string(name.as_bytes()),
            lowercase: self.pool.string(lowercase.as_bytes()),
        }
    }
}

fn built_in(name: &str) -> Option<u32> {
    Some(match name {
        "mixed" => type_mask::ANY,
        "null" => type_mask::NULL,
        "bool" => type_mask::BOOL,
        "false" => type_mask::FALSE,
        "true" => type_mask::TRUE,
        "int" => type_mask::LONG,
        "float" => type_mask::DOUBLE,
        "string" | "path" | "class_name" => type_mask::STRING,
        "array" => type_mask::ARRAY,
        "object" => type_mask::OBJECT,
        "resource" => type_mask::RESOURCE,
        "callable" => type_mask::CALLABLE,
        "iterable" => type_mask::ITERABLE | type_mask::ARRAY,
        "void" => type_mask::VOID,
        "static" => type_mask::STATIC,
        "never" => type_mask::NEVER,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Call;
    use crate::value::{LONG, UNDEF, Value};
    use crate::vm::PhpResult;

    fn nothing(_: &mut Call<'_>) -> PhpResult<Value> {
        Ok(Value::NULL)
    }

    /// `name flags required/declared | type name ... | return type` of a signature.
    fn describe(signature: &'static str) -> String {
        let mut pool = LiteralPool::new();
        let definition = NativeDefinition::new(signature, nothing);
        let parsed = parse_signature(&mut pool, &definition, &mut |name| match name {
            "SORT_REGULAR" => Some(Zval::from_long(0)),
            "A" => Some(Zval::from_long(1)),
            "B" => Some(Zval::from_long(6)),
            "C::D" => Some(Zval::from_bool(true)),
            _ => None,
        });
        assert_eq!(parsed.name, signature_name(signature));
        let mut text = format!(
            "{} {}{}{} {}/{}",
            parsed.name,
            if parsed.flags & flags::STATIC != 0 {
                "static "
            } else {
                ""
            },
            if parsed.flags & flags::PRIVATE != 0 {
                "private "
            } else {
                ""
            },
            if parsed.flags & flags::DEPRECATED != 0 {
                "deprecated"
            } else {
                ""
            },
            parsed.required_count,
            parsed.parameter_count
        );
        for parameter in parsed.parameters.iter() {
            let declared = parameter
                .declared
                .as_ref()
                .map_or(String::new(), Type::display);
            // SAFETY: the pool is alive.
            let name = unsafe { (*parameter.name).to_text() };
            let sign = match parameter.pass_by {
                PassBy::Value => "",
                PassBy::Reference => "&",
                PassBy::PreferReference => "&?",
            };
            let dots = if parameter.variadic { "..." } else { "" };
            text.push_str(&format!(" | {declared} {sign}{dots}{name}"));
            match parameter.default.kind() {
                UNDEF => {}
                LONG => text.push_str(&format!("={}", parameter.default.long())),
                _ => match parameter.default.as_bytes() {
                    Some(bytes) => text.push_str(&format!("={:?}", String::from_utf8_lossy(bytes))),
                    None => text.push_str(&format!("={:?}", parameter.default)),
                },
            }
        }
        text + " : "
            + &parsed
                .return_type
                .map_or(String::new(), |declared| declared.display())
    }

    #[test]
    fn signatures() {
        let cases = [
            ("time(): int", "time  0/0 : int"),
            (
                "str_repeat(string $string, int $times): string",
                "str_repeat  2/2 | string string | int times : string",
            ),
            (
                "sort(array &$array, int $flags = SORT_REGULAR): true",
                "sort  1/2 | array &array | int flags=0 : true",
            ),
            (
                "max(mixed $value, mixed ...$values): mixed",
                "max  1/1 | mixed value | mixed ...values : mixed",
            ),
            (
                "array_multisort(&?$array, &?...$rest): bool",
                "array_multisort  1/1 |  &?array |  &?...rest : bool",
            ),
            (
                "htmlspecialchars(string $string, int $flags = A | B, ?string $encoding = null, bool $double = true): string",
                "htmlspecialchars  1/4 | string string | int flags=7 | ?string encoding=null | bool double=true : string",
            ),
            (
                "f(int|string|null $a = -1, array $b = [], string $c = \" \\n\\\\\", mixed $d = UNKNOWN, $e = C::D): ?array",
                "f  0/5 | string|int|null a=-1 | array b=<type 7> | string c=\" \\n\\\\\" | mixed d |  e=true : ?array",
            ),
            (
                "public static function bind(Closure $closure, ?object $newThis, object|string|null $newScope = \"static\"): ?Closure",
                "bind static  2/3 | Closure closure | ?object newThis | object|string|null newScope=\"static\" : ?Closure",
            ),
            (
                "private function __construct()",
                "__construct private  0/0 : ",
            ),
            (
                "f(Countable&Traversable $a, (A&B)|null $b, A &$c, iterable $d): static",
                "f  4/4 | Countable&Traversable a | (A&B)|null b | A &c | Traversable|array d : static",
            ),
            (
                "#[Deprecated(\"8.2\", \"visit (it)\")] utf8_encode(string $string): string",
                "utf8_encode deprecated 1/1 | string string : string",
            ),
        ];
        for (signature, expected) in cases {
            assert_eq!(describe(signature), expected);
        }
    }
}
