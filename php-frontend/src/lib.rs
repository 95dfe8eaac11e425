//! PHP 8.4 source to Opline op arrays: lexer, parser, AST, compiler.
#![forbid(unsafe_code)]
