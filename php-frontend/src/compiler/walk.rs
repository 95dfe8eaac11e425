//! Walks over expressions and statements, for what must be known before they are compiled.

use super::NameSet;
use crate::ast::{Args, Expr, ExprKind, FunctionBody, FunctionDecl, Stmt, StmtKind, StringPart};

/// Calls `visit` on each direct child expression. Bodies of functions and classes are no children.
fn children<'a>(expr: &Expr<'a>, visit: &mut dyn FnMut(&'a Expr<'a>)) {
    fn all<'a>(args: &Args<'a>, visit: &mut dyn FnMut(&'a Expr<'a>)) {
        args.items.iter().for_each(|arg| visit(arg.value));
    }
    fn parts<'a>(parts: &[StringPart<'a>], visit: &mut dyn FnMut(&'a Expr<'a>)) {
        parts.iter().for_each(|part| visit(part.expr));
    }
    match expr.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::String(_)
        | ExprKind::Name(_)
        | ExprKind::StaticClass
        | ExprKind::Const(_)
        | ExprKind::MagicConst(_)
        | ExprKind::Variable(_)
        | ExprKind::Closure(_)
        | ExprKind::ArrowFunction(_) => {}
        ExprKind::Interpolated(list) | ExprKind::ShellExec(list) => parts(list, visit),
        ExprKind::VariableVariable(inner)
        | ExprKind::ClassName { class: inner }
        | ExprKind::Unary { operand: inner, .. }
        | ExprKind::IncDec { target: inner, .. }
        | ExprKind::Cast { operand: inner, .. }
        | ExprKind::Isset(inner)
        | ExprKind::Empty(inner)
        | ExprKind::Include { operand: inner, .. }
        | ExprKind::Print(inner)
        | ExprKind::Clone(inner)
        | ExprKind::Silence(inner)
        | ExprKind::YieldFrom(inner)
        | ExprKind::Throw(inner) => visit(inner),
        ExprKind::Array(literal) => {
            for item in literal.items.iter().flatten() {
                visit(item.value);
                if let Some(key) = item.key {
                    visit(key);
                }
            }
        }
        ExprKind::Dim { base, index } => {
            visit(base);
            if let Some(index) = index {
                visit(index);
            }
        }
        ExprKind::Prop { object, name, .. } => {
            visit(object);
            visit(name);
        }
        ExprKind::StaticProp { class, name } | ExprKind::ClassConst { class, name } => {
            visit(class);
            visit(name);
        }
        ExprKind::Call { callee, args } => {
            visit(callee);
            all(args, visit);
        }
        ExprKind::MethodCall {
            object, name, args, ..
        } => {
            visit(object);
            visit(name);
            all(args, visit);
        }
        ExprKind::StaticCall { class, name, args } => {
            visit(class);
            visit(name);
            all(args, visit);
        }
        ExprKind::New { class, args } => {
            visit(class);
            all(args, visit);
        }
        ExprKind::NewAnonymous { args, .. } => all(args, visit),
        ExprKind::Binary { left, right, .. }
        | ExprKind::And { left, right }
        | ExprKind::Or { left, right }
        | ExprKind::Coalesce { left, right } => {
            visit(left);
            visit(right);
        }
        ExprKind::Conditional {
            condition,
            then,
            otherwise,
        } => {
            visit(condition);
            if let Some(then) = then {
                visit(then);
            }
            visit(otherwise);
        }
        ExprKind::Assign { target, value }
        | ExprKind::AssignRef { target, value }
        | ExprKind::AssignOp { target, value, .. }
        | ExprKind::AssignCoalesce { target, value } => {
            visit(target);
            visit(value);
        }
        ExprKind::InstanceOf { value, class } => {
            visit(value);
            visit(class);
        }
        ExprKind::Yield { key, value } => {
            if let Some(value) = value {
                visit(value);
            }
            if let Some(key) = key {
                visit(key);
            }
        }
        ExprKind::Match { subject, arms } => {
            visit(subject);
            for arm in arms {
                arm.conditions.into_iter().flatten().for_each(&mut *visit);
                visit(arm.body);
            }
        }
    }
}

/// Visits an expression and all below it in the order they are written, without recursion: chains
/// may be long. `visit` says whether to go below.
fn visit_all<'a>(expr: &Expr<'a>, visit: &mut dyn FnMut(&Expr<'a>) -> bool) {
    let mut below: Vec<&'a Expr<'a>> = Vec::new();
    let mut next: Vec<&'a Expr<'a>> = Vec::new();
    if visit(expr) {
        children(expr, &mut |child| next.push(child));
        below.extend(next.drain(..).rev());
    }
    while let Some(expr) = below.pop() {
        if visit(expr) {
            children(expr, &mut |child| next.push(child));
            below.extend(next.drain(..).rev());
        }
    }
}

/// Adds the variables that an arrow function's body uses, in the order they appear.
pub(crate) fn free_variables<'a>(expr: &Expr<'a>, names: &mut Vec<&'a [u8]>) {
    add_free_variables(expr, names, &mut NameSet::default());
}

fn add_free_variables<'a>(expr: &Expr<'a>, names: &mut Vec<&'a [u8]>, known: &mut NameSet<'a>) {
    visit_all(expr, &mut |expr| {
        let mut add = |name: &'a [u8]| {
            if known.insert(name) {
                names.push(name);
            }
        };
        match expr.kind {
            ExprKind::Variable(name) => add(name),
            ExprKind::VariableVariable(Expr {
                kind: ExprKind::String(name),
                ..
            }) => add(name),
            ExprKind::Closure(function) => {
                function.uses.iter().for_each(|variable| add(variable.name));
            }
            ExprKind::ArrowFunction(FunctionDecl {
                body: FunctionBody::Expr(body),
                ..
            }) => {
                add_free_variables(body, names, known);
            }
            _ => return true,
        }
        false
    });
}

/// Whether an expression is `$this->name`, or holds it.
fn expr_uses_property(expr: &Expr<'_>, property: &[u8]) -> bool {
    let mut found = false;
    visit_all(expr, &mut |expr| {
        if let ExprKind::Prop { object, name, .. } = expr.kind {
            let is_this = matches!(object.kind, ExprKind::Variable(b"this"));
            found |= is_this && matches!(name.kind, ExprKind::String(name) if name == property);
        }
        !found
    });
    found
}

fn block_uses_property(statements: &[Stmt<'_>], property: &[u8]) -> bool {
    statements
        .iter()
        .any(|statement| statement_uses_property(statement, property))
}

fn statement_uses_property(statement: &Stmt<'_>, property: &[u8]) -> bool {
    let expr = |expr: &Expr<'_>| expr_uses_property(expr, property);
    let body = |statement: &Stmt<'_>| statement_uses_property(statement, property);
    let block = |statements: &[Stmt<'_>]| block_uses_property(statements, property);
    match statement.kind {
        StmtKind::Expr(value) => expr(value),
        StmtKind::Echo(values) | StmtKind::Unset(values) | StmtKind::Global(values) => {
            values.iter().any(|value| expr(value))
        }
        StmtKind::Block(statements) => block(statements),
        StmtKind::If(arms) => arms
            .iter()
            .any(|arm| arm.condition.is_some_and(expr) || body(arm.body)),
        StmtKind::While {
            condition,
            body: inner,
        }
        | StmtKind::DoWhile {
            condition,
            body: inner,
        } => expr(condition) || body(inner),
        StmtKind::For(statement) => {
            let lists = [statement.init, statement.condition, statement.step];
            lists
                .iter()
                .any(|list| list.iter().any(|value| expr(value)))
                || body(statement.body)
        }
        StmtKind::Foreach(statement) => {
            expr(statement.subject)
                || statement.key.is_some_and(expr)
                || expr(statement.value)
                || body(statement.body)
        }
        StmtKind::Switch { subject, cases } => {
            expr(subject)
                || cases
                    .iter()
                    .any(|case| case.condition.is_some_and(expr) || block(case.body))
        }
        StmtKind::Return(value) => value.is_some_and(expr),
        StmtKind::StaticVars(variables) => variables
            .iter()
            .any(|variable| variable.default.is_some_and(expr)),
        StmtKind::Try(statement) => {
            block(statement.body)
                || statement.catches.iter().any(|catch| block(catch.body))
                || statement.finally.is_some_and(block)
        }
        StmtKind::Declare { body: inner, .. } => inner.is_some_and(body),
        _ => false,
    }
}

/// Whether a hook uses the storage of its property.
pub(crate) fn hook_uses_property(hook: &FunctionDecl<'_>, property: &[u8]) -> bool {
    match hook.body {
        FunctionBody::None => false,
        FunctionBody::Expr(_) if hook.name.eq_ignore_ascii_case(b"set") => true,
        FunctionBody::Expr(value) => expr_uses_property(value, property),
        FunctionBody::Block(statements) => block_uses_property(statements, property),
    }
}
