//! The tokens' names and numbers, in one table.

use php_frontend::lexer::tokens::TokenKind as Kind;

/// A token: its name and what the lexer calls it. Comments, white space and tags are no tokens to
/// the lexer; [`super::scan`] finds them between its tokens.
type Row = (&'static str, Option<Kind>);

/// The number of the first row. Single characters have the numbers of their bytes.
const FIRST: i64 = 260;

static TOKENS: &[Row] = &[
    ("T_LNUMBER", Some(Kind::Integer)),
    ("T_DNUMBER", Some(Kind::Float)),
    ("T_STRING", Some(Kind::Identifier)),
    ("T_NAME_FULLY_QUALIFIED", Some(Kind::NameFullyQualified)),
    ("T_NAME_RELATIVE", Some(Kind::NameRelative)),
    ("T_NAME_QUALIFIED", Some(Kind::NameQualified)),
    ("T_VARIABLE", Some(Kind::Variable)),
    ("T_INLINE_HTML", Some(Kind::InlineHtml)),
    ("T_ENCAPSED_AND_WHITESPACE", Some(Kind::StringContent)),
    ("T_CONSTANT_ENCAPSED_STRING", Some(Kind::QuotedString)),
    ("T_STRING_VARNAME", Some(Kind::StringVarname)),
    ("T_NUM_STRING", Some(Kind::NumString)),
    ("T_INCLUDE", Some(Kind::Include)),
    ("T_INCLUDE_ONCE", Some(Kind::IncludeOnce)),
    ("T_EVAL", Some(Kind::Eval)),
    ("T_REQUIRE", Some(Kind::Require)),
    ("T_REQUIRE_ONCE", Some(Kind::RequireOnce)),
    ("T_LOGICAL_OR", Some(Kind::LogicalOr)),
    ("T_LOGICAL_XOR", Some(Kind::LogicalXor)),
    ("T_LOGICAL_AND", Some(Kind::LogicalAnd)),
    ("T_PRINT", Some(Kind::Print)),
    ("T_YIELD", Some(Kind::Yield)),
    ("T_YIELD_FROM", Some(Kind::YieldFrom)),
    ("T_INSTANCEOF", Some(Kind::Instanceof)),
    ("T_NEW", Some(Kind::New)),
    ("T_CLONE", Some(Kind::Clone)),
    ("T_EXIT", Some(Kind::Exit)),
    ("T_IF", Some(Kind::If)),
    ("T_ELSEIF", Some(Kind::Elseif)),
    ("T_ELSE", Some(Kind::Else)),
    ("T_ENDIF", Some(Kind::Endif)),
    ("T_ECHO", Some(Kind::Echo)),
    ("T_DO", Some(Kind::Do)),
    ("T_WHILE", Some(Kind::While)),
    ("T_ENDWHILE", Some(Kind::Endwhile)),
    ("T_FOR", Some(Kind::For)),
    ("T_ENDFOR", Some(Kind::Endfor)),
    ("T_FOREACH", Some(Kind::Foreach)),
    ("T_ENDFOREACH", Some(Kind::Endforeach)),
    ("T_DECLARE", Some(Kind::Declare)),
    ("T_ENDDECLARE", Some(Kind::Enddeclare)),
    ("T_AS", Some(Kind::As)),
    ("T_SWITCH", Some(Kind::Switch)),
    ("T_ENDSWITCH", Some(Kind::Endswitch)),
    ("T_CASE", Some(Kind::Case)),
    ("T_DEFAULT", Some(Kind::Default)),
    ("T_MATCH", Some(Kind::Match)),
    ("T_BREAK", Some(Kind::Break)),
    ("T_CONTINUE", Some(Kind::Continue)),
    ("T_GOTO", Some(Kind::Goto)),
    ("T_FUNCTION", Some(Kind::Function)),
    ("T_FN", Some(Kind::Fn)),
    ("T_CONST", Some(Kind::Const)),
    ("T_RETURN", Some(Kind::Return)),
    ("T_TRY", Some(Kind::Try)),
    ("T_CATCH", Some(Kind::Catch)),
    ("T_FINALLY", Some(Kind::Finally)),
    ("T_THROW", Some(Kind::Throw)),
    ("T_USE", Some(Kind::Use)),
    ("T_INSTEADOF", Some(Kind::Insteadof)),
    ("T_GLOBAL", Some(Kind::Global)),
    ("T_STATIC", Some(Kind::Static)),
    ("T_ABSTRACT", Some(Kind::Abstract)),
    ("T_FINAL", Some(Kind::Final)),
    ("T_PRIVATE", Some(Kind::Private)),
    ("T_PROTECTED", Some(Kind::Protected)),
    ("T_PUBLIC", Some(Kind::Public)),
    ("T_PRIVATE_SET", Some(Kind::PrivateSet)),
    ("T_PROTECTED_SET", Some(Kind::ProtectedSet)),
    ("T_PUBLIC_SET", Some(Kind::PublicSet)),
    ("T_READONLY", Some(Kind::Readonly)),
    ("T_VAR", Some(Kind::Var)),
    ("T_UNSET", Some(Kind::Unset)),
    ("T_ISSET", Some(Kind::Isset)),
    ("T_EMPTY", Some(Kind::Empty)),
    ("T_HALT_COMPILER", Some(Kind::HaltCompiler)),
    ("T_CLASS", Some(Kind::Class)),
    ("T_TRAIT", Some(Kind::Trait)),
    ("T_INTERFACE", Some(Kind::Interface)),
    ("T_ENUM", Some(Kind::Enum)),
    ("T_EXTENDS", Some(Kind::Extends)),
    ("T_IMPLEMENTS", Some(Kind::Implements)),
    ("T_NAMESPACE", Some(Kind::Namespace)),
    ("T_LIST", Some(Kind::List)),
    ("T_ARRAY", Some(Kind::Array)),
    ("T_CALLABLE", Some(Kind::Callable)),
    ("T_LINE", Some(Kind::MagicLine)),
    ("T_FILE", Some(Kind::MagicFile)),
    ("T_DIR", Some(Kind::MagicDir)),
    ("T_CLASS_C", Some(Kind::MagicClass)),
    ("T_TRAIT_C", Some(Kind::MagicTrait)),
    ("T_METHOD_C", Some(Kind::MagicMethod)),
    ("T_FUNC_C", Some(Kind::MagicFunction)),
    ("T_PROPERTY_C", Some(Kind::MagicProperty)),
    ("T_NS_C", Some(Kind::MagicNamespace)),
    ("T_ATTRIBUTE", Some(Kind::AttributeStart)),
    ("T_PLUS_EQUAL", Some(Kind::PlusEqual)),
    ("T_MINUS_EQUAL", Some(Kind::MinusEqual)),
    ("T_MUL_EQUAL", Some(Kind::StarEqual)),
    ("T_DIV_EQUAL", Some(Kind::SlashEqual)),
    ("T_CONCAT_EQUAL", Some(Kind::DotEqual)),
    ("T_MOD_EQUAL", Some(Kind::PercentEqual)),
    ("T_AND_EQUAL", Some(Kind::AmpersandEqual)),
    ("T_OR_EQUAL", Some(Kind::PipeEqual)),
    ("T_XOR_EQUAL", Some(Kind::CaretEqual)),
    ("T_SL_EQUAL", Some(Kind::ShiftLeftEqual)),
    ("T_SR_EQUAL", Some(Kind::ShiftRightEqual)),
    ("T_COALESCE_EQUAL", Some(Kind::CoalesceEqual)),
    ("T_BOOLEAN_OR", Some(Kind::BooleanOr)),
    ("T_BOOLEAN_AND", Some(Kind::BooleanAnd)),
    ("T_IS_EQUAL", Some(Kind::IsEqual)),
    ("T_IS_NOT_EQUAL", Some(Kind::IsNotEqual)),
    ("T_IS_IDENTICAL", Some(Kind::IsIdentical)),
    ("T_IS_NOT_IDENTICAL", Some(Kind::IsNotIdentical)),
    ("T_IS_SMALLER_OR_EQUAL", Some(Kind::LessEqual)),
    ("T_IS_GREATER_OR_EQUAL", Some(Kind::GreaterEqual)),
    ("T_SPACESHIP", Some(Kind::Spaceship)),
    ("T_SL", Some(Kind::ShiftLeft)),
    ("T_SR", Some(Kind::ShiftRight)),
    ("T_INC", Some(Kind::Increment)),
    ("T_DEC", Some(Kind::Decrement)),
    ("T_INT_CAST", Some(Kind::IntCast)),
    ("T_DOUBLE_CAST", Some(Kind::FloatCast)),
    ("T_STRING_CAST", Some(Kind::StringCast)),
    ("T_ARRAY_CAST", Some(Kind::ArrayCast)),
    ("T_OBJECT_CAST", Some(Kind::ObjectCast)),
    ("T_BOOL_CAST", Some(Kind::BoolCast)),
    ("T_UNSET_CAST", Some(Kind::UnsetCast)),
    ("T_OBJECT_OPERATOR", Some(Kind::Arrow)),
    ("T_NULLSAFE_OBJECT_OPERATOR", Some(Kind::NullsafeArrow)),
    ("T_DOUBLE_ARROW", Some(Kind::DoubleArrow)),
    ("T_COMMENT", None),
    ("T_DOC_COMMENT", None),
    ("T_OPEN_TAG", None),
    ("T_OPEN_TAG_WITH_ECHO", None),
    ("T_CLOSE_TAG", None),
    ("T_WHITESPACE", None),
    ("T_START_HEREDOC", Some(Kind::HeredocStart)),
    ("T_END_HEREDOC", Some(Kind::HeredocEnd)),
    ("T_DOLLAR_OPEN_CURLY_BRACES", Some(Kind::DollarBrace)),
    ("T_CURLY_OPEN", Some(Kind::CurlyOpen)),
    ("T_PAAMAYIM_NEKUDOTAYIM", Some(Kind::DoubleColon)),
    ("T_NS_SEPARATOR", Some(Kind::Backslash)),
    ("T_ELLIPSIS", Some(Kind::Ellipsis)),
    ("T_COALESCE", Some(Kind::Coalesce)),
    ("T_POW", Some(Kind::Power)),
    ("T_POW_EQUAL", Some(Kind::PowerEqual)),
    (
        "T_AMPERSAND_FOLLOWED_BY_VAR_OR_VARARG",
        Some(Kind::AmpersandFollowed),
    ),
    (
        "T_AMPERSAND_NOT_FOLLOWED_BY_VAR_OR_VARARG",
        Some(Kind::Ampersand),
    ),
    ("T_BAD_CHARACTER", Some(Kind::BadCharacter)),
];

const fn number(row: usize) -> i64 {
    FIRST + row as i64
}

/// The number of a token that has a name.
const fn named(name: &str) -> i64 {
    let mut row = 0;
    while row < TOKENS.len() {
        if is_same(TOKENS[row].0, name) {
            return number(row);
        }
        row += 1;
    }
    panic!("no such token")
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

pub(crate) const STRING: i64 = named("T_STRING");
pub(crate) const INLINE_HTML: i64 = named("T_INLINE_HTML");
pub(crate) const ENCAPSED_AND_WHITESPACE: i64 = named("T_ENCAPSED_AND_WHITESPACE");
pub(crate) const CONSTANT_ENCAPSED_STRING: i64 = named("T_CONSTANT_ENCAPSED_STRING");
pub(crate) const NUM_STRING: i64 = named("T_NUM_STRING");
pub(crate) const MAGIC_LINE: i64 = named("T_LINE");
pub(crate) const MAGIC_NAMESPACE: i64 = named("T_NS_C");
pub(crate) const COMMENT: i64 = named("T_COMMENT");
pub(crate) const DOC_COMMENT: i64 = named("T_DOC_COMMENT");
pub(crate) const OPEN_TAG: i64 = named("T_OPEN_TAG");
pub(crate) const OPEN_TAG_WITH_ECHO: i64 = named("T_OPEN_TAG_WITH_ECHO");
pub(crate) const CLOSE_TAG: i64 = named("T_CLOSE_TAG");
pub(crate) const WHITESPACE: i64 = named("T_WHITESPACE");
pub(crate) const END_HEREDOC: i64 = named("T_END_HEREDOC");
/// The first token with a value of its own; `T_NUM_STRING` is the last.
pub(crate) const FIRST_VALUE: i64 = FIRST;

/// What a token of the lexer is called; `None` for single characters.
pub(crate) fn number_of(kind: Kind) -> Option<i64> {
    let row = TOKENS.iter().position(|row| row.1 == Some(kind))?;
    Some(number(row))
}

/// The name of a number.
pub(super) fn name_of(id: i64) -> Option<&'static str> {
    // `::` has two names; this is the one PHP gives.
    if id == named("T_PAAMAYIM_NEKUDOTAYIM") {
        return Some("T_DOUBLE_COLON");
    }
    let row = usize::try_from(id.checked_sub(FIRST)?).ok()?;
    TOKENS.get(row).map(|row| row.0)
}

/// Every constant.
pub(super) fn constants() -> impl Iterator<Item = (&'static str, i64)> {
    TOKENS
        .iter()
        .enumerate()
        .map(|(row, token)| (token.0, number(row)))
        .chain([("T_DOUBLE_COLON", named("T_PAAMAYIM_NEKUDOTAYIM"))])
}
