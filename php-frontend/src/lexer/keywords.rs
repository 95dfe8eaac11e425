//! Recognition of keywords.

use super::tokens::TokenKind;

/// The keywords, in lower case, and their tokens.
const KEYWORDS: &[(&[u8], TokenKind)] = &[
    (b"include", TokenKind::Include),
    (b"include_once", TokenKind::IncludeOnce),
    (b"eval", TokenKind::Eval),
    (b"require", TokenKind::Require),
    (b"require_once", TokenKind::RequireOnce),
    (b"or", TokenKind::LogicalOr),
    (b"xor", TokenKind::LogicalXor),
    (b"and", TokenKind::LogicalAnd),
    (b"print", TokenKind::Print),
    (b"yield", TokenKind::Yield),
    (b"instanceof", TokenKind::Instanceof),
    (b"new", TokenKind::New),
    (b"clone", TokenKind::Clone),
    (b"exit", TokenKind::Exit),
    (b"if", TokenKind::If),
    (b"elseif", TokenKind::Elseif),
    (b"else", TokenKind::Else),
    (b"endif", TokenKind::Endif),
    (b"echo", TokenKind::Echo),
    (b"do", TokenKind::Do),
    (b"while", TokenKind::While),
    (b"endwhile", TokenKind::Endwhile),
    (b"for", TokenKind::For),
    (b"endfor", TokenKind::Endfor),
    (b"foreach", TokenKind::Foreach),
    (b"endforeach", TokenKind::Endforeach),
    (b"declare", TokenKind::Declare),
    (b"enddeclare", TokenKind::Enddeclare),
    (b"as", TokenKind::As),
    (b"switch", TokenKind::Switch),
    (b"endswitch", TokenKind::Endswitch),
    (b"case", TokenKind::Case),
    (b"default", TokenKind::Default),
    (b"match", TokenKind::Match),
    (b"break", TokenKind::Break),
    (b"continue", TokenKind::Continue),
    (b"goto", TokenKind::Goto),
    (b"function", TokenKind::Function),
    (b"fn", TokenKind::Fn),
    (b"const", TokenKind::Const),
    (b"return", TokenKind::Return),
    (b"try", TokenKind::Try),
    (b"catch", TokenKind::Catch),
    (b"finally", TokenKind::Finally),
    (b"throw", TokenKind::Throw),
    (b"use", TokenKind::Use),
    (b"insteadof", TokenKind::Insteadof),
    (b"global", TokenKind::Global),
    (b"static", TokenKind::Static),
    (b"abstract", TokenKind::Abstract),
    (b"final", TokenKind::Final),
    (b"private", TokenKind::Private),
    (b"protected", TokenKind::Protected),
    (b"public", TokenKind::Public),
    (b"readonly", TokenKind::Readonly),
    (b"var", TokenKind::Var),
    (b"unset", TokenKind::Unset),
    (b"isset", TokenKind::Isset),
    (b"empty", TokenKind::Empty),
    (b"__halt_compiler", TokenKind::HaltCompiler),
    (b"class", TokenKind::Class),
    (b"trait", TokenKind::Trait),
    (b"interface", TokenKind::Interface),
    (b"enum", TokenKind::Enum),
    (b"extends", TokenKind::Extends),
    (b"implements", TokenKind::Implements),
    (b"namespace", TokenKind::Namespace),
    (b"list", TokenKind::List),
    (b"array", TokenKind::Array),
    (b"callable", TokenKind::Callable),
    (b"__line__", TokenKind::MagicLine),
    (b"__file__", TokenKind::MagicFile),
    (b"__dir__", TokenKind::MagicDir),
    (b"__class__", TokenKind::MagicClass),
    (b"__trait__", TokenKind::MagicTrait),
    (b"__method__", TokenKind::MagicMethod),
    (b"__function__", TokenKind::MagicFunction),
    (b"__property__", TokenKind::MagicProperty),
    (b"__namespace__", TokenKind::MagicNamespace),
    (b"die", TokenKind::Exit),
];

/// Length of the longest keyword.
const LONGEST: usize = 15;

/// Size of the hash table; about one slot in seven is used, so that most names miss at once.
const TABLE_SIZE: usize = 512;

/// Open addressing: a slot holds the keyword's number plus one, or zero.
static TABLE: [u8; TABLE_SIZE] = build_table();

const fn hash(first: u8, second: u8, last: u8, length: usize) -> usize {
    let first = (first | 0x20) as usize;
    let second = (second | 0x20) as usize;
    let last = (last | 0x20) as usize;
    (first.wrapping_mul(31) ^ second.wrapping_mul(7) ^ last.wrapping_mul(97) ^ (length << 5))
        % TABLE_SIZE
}

const fn build_table() -> [u8; TABLE_SIZE] {
    let mut table = [0; TABLE_SIZE];
    let mut index = 0;
    while index < KEYWORDS.len() {
        let word = KEYWORDS[index].0;
        let mut slot = hash(word[0], word[1], word[word.len() - 1], word.len());
        while table[slot] != 0 {
            slot = (slot + 1) % TABLE_SIZE;
        }
        table[slot] = index as u8 + 1;
        index += 1;
    }
    table
}

/// The keyword token a word is, or `Identifier`.
pub(super) fn keyword(word: &[u8]) -> TokenKind {
    let &[first, second, ..] = word else {
        return TokenKind::Identifier;
    };
    if word.len() > LONGEST {
        return TokenKind::Identifier;
    }
    let mut slot = hash(first, second, word[word.len() - 1], word.len());
    loop {
        let Some(index) = (TABLE[slot] as usize).checked_sub(1) else {
            return TokenKind::Identifier;
        };
        let (text, kind) = KEYWORDS[index];
        if text.eq_ignore_ascii_case(word) {
            return kind;
        }
        slot = (slot + 1) % TABLE_SIZE;
    }
}
