//! Micro-operations, one by one.

use vm_def::ir::layout::Structure;
use vm_def::ir::{self, Argument, Number, Operation as Micro, Register, Representation};
use vm_def::types::TypeMask;
use vm_runtime::class::Class;
use vm_runtime::generated::layout::NUMBER_VALUES;
use vm_runtime::layout;
use vm_runtime::types::TYPE_WORDS;
use vm_runtime::value::{REFCOUNTED, STRING};

use super::super::Position;
use super::{Expansion, Origin, Question};
use crate::graph::{Arguments, Held, Operation, Place, Released, Type, Value};

impl Expansion<'_, '_, '_> {
    pub(super) fn instruction(
        &mut self,
        operation: &Micro,
        output: Option<ir::Value>,
        at: &mut Position,
    ) -> Option<Value> {
        if let (Some(output), true) = (output, self.is_steady(operation)) {
            self.found.steady.insert(output, ());
        }
        let operation = match operation {
            Micro::GuardType(place, types) => {
                self.guard_type(*place, *types, at);
                return None;
            }
            Micro::Guard(..) => return None,
            Micro::GuardUncounted(place) => {
                self.guard_uncounted(*place, at);
                return None;
            }
            Micro::TestType(place, types) => return self.test_type(*place, *types, at),
            Micro::TypeWord(place) => {
                if let Some(output) = output {
                    self.found.questions.insert(output, Question::Word(*place));
                }
                return self.type_word(*place, at);
            }
            Micro::Load(place, representation) => {
                return self.load(*place, *representation, at);
            }
            Micro::Deref(place) => return self.deref(*place, at),
            Micro::Indirect(place) => {
                let place = self.memory(*place, at)?;
                let address = self.push(at, Operation::Load(place, Type::Address))?;
                self.found.origins.insert(address, Origin::Anywhere);
                return Some(address);
            }
            Micro::Number(number) => Operation::Long(self.number(*number)),
            Micro::Target(field) => {
                let code = self.translator.request.code;
                let target = code.target(self.opline, *field);
                self.found
                    .targets
                    .extend(output.map(|output| (output, target)));
                Operation::Literal(code.address(target))
            }
            Micro::Register(register) => match register {
                Register::Frame => return self.frame(at),
                Register::Opline => {
                    Operation::Literal(self.translator.request.code.address(self.opline))
                }
                Register::Vm => Operation::Literal(self.translator.request.vm),
            },
            Micro::CacheWord(base, index, representation) => {
                return self.cache_word(*base, *index, *representation, at);
            }
            Micro::LoadField(field, base) => {
                let base = self.value(*base);
                let value = self.load_field(*field, base, at)?;
                match (field.facts().structure, field.facts().name) {
                    (Structure::Object, "class") => {
                        self.found.classes_of.insert(value, base);
                    }
                    (Structure::Frame, "this") => {
                        self.found.frames_of.insert(value, base);
                    }
                    (Structure::Frame, "info") => self.expect_info(value, base, at),
                    _ => {}
                }
                return Some(value);
            }
            Micro::StoreField(field, base, value) => {
                self.store_field(*field, self.value(*base), self.value(*value), at);
                return None;
            }
            Micro::Element(sequence, base, index) => {
                let (base, index) = (self.value(*base), self.value(*index));
                if let Some(slot) = self.slot_of_frame(base, index, at) {
                    return Some(slot);
                }
                Operation::Element(*sequence, base, index)
            }
            Micro::Unary(ir::UnaryOperation::LongToPointer, value)
                if self
                    .found
                    .top
                    .is_some_and(|(top, _)| top == self.value(*value)) =>
            {
                return self.found.top.map(|(_, frame)| frame);
            }
            Micro::ConstantLong(value) => Operation::Long(*value),
            Micro::ConstantDouble(value) => Operation::Double(value.to_bits()),
            Micro::ConstantBool(value) => Operation::Bool(*value),
            Micro::Named(index) => Operation::Long(NUMBER_VALUES[usize::from(*index)]),
            Micro::Unary(operation, value) => {
                let is_not = *operation == ir::UnaryOperation::NotBool;
                if let (true, Some(output), Some(Question::IsCounted(place))) =
                    (is_not, output, self.found.questions.get(*value).copied())
                {
                    self.found
                        .questions
                        .insert(output, Question::IsUncounted(place));
                }
                Operation::Unary(*operation, self.value(*value))
            }
            Micro::Binary(operation, left, right) => {
                if let Some((place, types)) = self.question(*operation, *left, *right, output) {
                    return self.test_type(place, types, at);
                }
                let (left, right) = (self.value(*left), self.value(*right));
                if *operation == ir::BinaryOperation::EqPointer {
                    self.note_class_test(output, left, right);
                }
                if let Some(known) = self.known_info(*operation, left, right) {
                    return self.push(at, Operation::Long(known));
                }
                if self.found.uncounted_words.contains(&left)
                    && *operation == ir::BinaryOperation::AndLong
                    && self.translator.graph.long(right) == Some(i64::from(REFCOUNTED))
                {
                    return self.push(at, Operation::Long(0));
                }
                Operation::Binary(*operation, left, right)
            }
            Micro::Intrinsic(intrinsic, arguments) => {
                if let (ir::Intrinsic::KindOf, [value], Some(output)) =
                    (intrinsic, arguments.as_slice(), output)
                {
                    self.found.questions.insert(output, Question::Kind(*value));
                    let known = self.known(ir::Place::At(*value), at);
                    if let Some(kind) = known.and_then(TypeMask::single) {
                        return self.push(at, Operation::Long(i64::from(kind)));
                    }
                }
                if let (ir::Intrinsic::Constant, [value]) = (intrinsic, arguments.as_slice()) {
                    let value = self.value(*value);
                    self.note_constant(value);
                    return Some(value);
                }
                return self.intrinsic(*intrinsic, arguments, output, at);
            }
            Micro::Store(place, representation, value) => {
                self.store_value(*place, *representation, *value, at);
                return None;
            }
            Micro::StoreNull(place) => {
                self.store(*place, Held::Null, at);
                return None;
            }
            Micro::StoreUndef(place) => {
                self.store(*place, Held::Undef, at);
                return None;
            }
            Micro::StoreTyped(place, word, value) => {
                let value = self.value(*value);
                if let Some(place) = self.destination(*place, at) {
                    self.push(at, Operation::StoreTyped(place, *word, value));
                    // Some words stand for what is no value: a class that the next opline takes.
                    let types = TypeMask(1 << (*word & 0xff));
                    let types = types.is_subset_of(TypeMask::ANY).then_some(types);
                    self.after_write(place, types, at);
                }
                return None;
            }
            Micro::StoreString(place, value) => {
                let value = self.value(*value);
                if let Some(place) = self.destination(*place, at) {
                    self.push(at, Operation::StoreString(place, value));
                    self.after_write(place, Some(TypeMask::STRING), at);
                }
                return None;
            }
            Micro::Move(place, value) => {
                self.copy(*place, *value, false, at);
                return None;
            }
            Micro::Apart => return None,
            Micro::Retain(place) => {
                if !self.is_known_uncounted(*place, at) {
                    let place = self.memory(*place, at)?;
                    self.push(at, Operation::Retain(place));
                }
                return None;
            }
            Micro::DropShare(place) => {
                if !self.is_known_uncounted(*place, at) {
                    let place = self.memory(*place, at)?;
                    self.push(at, Operation::DropShare(place));
                }
                return None;
            }
            Micro::Free(place) => {
                self.free(*place, at);
                return None;
            }
            Micro::Release(place) => {
                let place = self.memory(*place, at)?;
                self.push(at, Operation::Release(place, Released::Shared));
                self.after_write(place, None, at);
                return None;
            }
        };
        self.push(at, operation)
    }

    /// Whether an operation gives what tends to be the same each time an opline is executed.
    fn is_steady(&self, operation: &Micro) -> bool {
        match operation {
            Micro::LoadField(field, _) => {
                let facts = field.facts();
                // An array is packed, or has names as its keys.
                match facts.structure {
                    Structure::Array => facts.name == "flags",
                    Structure::Bucket => facts.name == "key",
                    structure => matches!(structure, Structure::Frame | Structure::Function),
                }
            }
            Micro::TestType(..)
            | Micro::TypeWord(_)
            | Micro::Intrinsic(ir::Intrinsic::KindOf, _)
            | Micro::CacheWord(..)
            | Micro::Number(_)
            | Micro::Named(_)
            | Micro::ConstantLong(_)
            | Micro::ConstantBool(_) => true,
            Micro::Unary(_, value) => self.found.steady.contains(*value),
            Micro::Binary(_, left, right) => {
                self.found.steady.contains(*left) && self.found.steady.contains(*right)
            }
            _ => false,
        }
    }

    /// Whether a bit of a known mask is asked for, the one with the number of a value's kind: that is a question for
    /// types. Notes what is asked of type words.
    fn question(
        &mut self,
        operation: ir::BinaryOperation,
        left: ir::Value,
        right: ir::Value,
        output: Option<ir::Value>,
    ) -> Option<(ir::Place, TypeMask)> {
        use ir::BinaryOperation::{AndLong, NeLong, ShrLong};
        let long = |value| self.translator.graph.long(self.value(value));
        let next = match (
            operation,
            self.found.questions.get(left),
            self.found.questions.get(right),
        ) {
            (ShrLong, _, Some(Question::Kind(value))) => {
                // The numbers of types are small: upper bits may say something else.
                let mask = long(left)? as u32;
                Question::Bits(*value, TypeMask(mask & TypeMask::ANY.0))
            }
            (AndLong, Some(Question::Bits(value, types)), _) if long(right) == Some(1) => {
                Question::Bit(*value, *types)
            }
            (NeLong, Some(Question::Bit(value, types)), _) if long(right) == Some(0) => {
                return Some((ir::Place::At(*value), *types));
            }
            (AndLong, Some(Question::Word(place)), _)
                if long(right) == Some(i64::from(REFCOUNTED)) =>
            {
                Question::Flag(*place)
            }
            (NeLong, Some(Question::Flag(place)), _) if long(right) == Some(0) => {
                Question::IsCounted(*place)
            }
            _ => return None,
        };
        if let Some(output) = output {
            self.found.questions.insert(output, next);
        }
        None
    }

    pub(super) fn number(&self, number: Number) -> i64 {
        let code = self.translator.request.code;
        let op = code.op(self.opline);
        i64::from(match number {
            Number::Op1 => op.op1,
            Number::Op2 => op.op2,
            Number::Result => op.result,
            Number::Extended => op.extended_value,
            Number::DataExtended => code.op(self.opline + 1).extended_value,
        })
    }

    pub(super) fn cache_word(
        &mut self,
        base: Number,
        index: u8,
        representation: Representation,
        at: &Position,
    ) -> Option<Value> {
        let offset = match base {
            // The low bits are flags.
            Number::Extended | Number::DataExtended => self.number(base) & !7,
            _ => self.number(base),
        };
        let (first, offset) = (offset as u32, offset as u32 + u32::from(index) * 8);
        let is_filled = self.remembered(first).is_some_and(|word| word != 0);
        match (self.remembered(offset), Type::of(representation)) {
            (Some(word), Type::Address) if word != 0 => {
                return self.push(at, Operation::Literal(word));
            }
            (Some(word), Type::Long) if word != 0 || is_filled && index > 0 => {
                return self.push(at, Operation::Long(word as i64));
            }
            _ => {}
        }
        let code = self.translator.request.code;
        let cache = match code.is_own(self.opline) {
            true => {
                let offset = layout::FRAME_CACHE as u32;
                let frame = self.frame(at)?;
                self.push(at, Operation::LoadWord(frame, offset, Type::Address))?
            }
            // It may not stand in the frame's head yet.
            false => {
                let cache = code.cache(self.opline) as u64;
                self.push(at, Operation::Literal(cache))?
            }
        };
        self.push(
            at,
            Operation::LoadWord(cache, offset, Type::of(representation)),
        )
    }

    /// Notes that a value of the clause tells whether an object has a class that is known.
    fn note_class_test(&mut self, output: Option<ir::Value>, left: Value, right: Value) {
        if let (Some(output), Some(&object), Some(class)) = (
            output,
            self.found.classes_of.get(&left),
            self.translator.graph.address(right),
        ) {
            self.found.class_tests.insert(output, (object, class));
        }
    }

    /// What an intrinsic gives, if that is known when code is made. A class that passed a type passes it for good.
    fn answer_known(&self, intrinsic: ir::Intrinsic, given: &[Value]) -> Option<Operation> {
        use ir::Intrinsic::{
            IsInstance, KnownDefault, NotBothNumbers, PassedClass, PassedPropertyClass,
            PassedPropertyRoot,
        };
        let graph = &self.translator.graph;
        match (intrinsic, given) {
            (PassedClass, &[_, word]) => {
                // Words are counted from 1.
                let word = u32::try_from(graph.long(word)?).ok()?.checked_sub(1)?;
                let class = self.remembered(word * size_of::<u64>() as u32)?;
                (class != 0).then_some(Operation::Literal(class))
            }
            // The address of the cache is in the code, as where its words are read.
            (KnownDefault, &[_, word]) => {
                let word = usize::try_from(graph.long(word)?).ok()?.checked_sub(1)?;
                let cache = self.translator.request.code.cache(self.opline);
                let place = cache as u64 + ((word + TYPE_WORDS) * size_of::<u64>()) as u64;
                (!cache.is_null()).then_some(Operation::Literal(place))
            }
            (IsInstance, &[object, class]) => {
                let of = *self.found.classes.get(&object)? as *const Class;
                let class = graph.address(class)? as *const Class;
                // SAFETY: I4: what an object's class was compared with is a class, and classes live.
                Some(Operation::Bool(unsafe { (*of).is_subclass_of(class) }))
            }
            (PassedPropertyClass | PassedPropertyRoot, &[object, slot]) => {
                let class = *self.found.classes.get(&object)? as *const Class;
                let slot = usize::try_from(graph.long(slot)?).ok()?;
                // SAFETY: I4: what an object's class was compared with is a class, and classes and what is known of
                // their properties live.
                let passed = unsafe {
                    let properties = &(*class).slot_properties;
                    let info = &**properties.get(slot)?;
                    match intrinsic {
                        PassedPropertyRoot => info.passed_root.get(),
                        _ => info.passed.get(),
                    }
                };
                (!passed.is_null()).then_some(Operation::Literal(passed as u64))
            }
            (NotBothNumbers, texts) => {
                let is_none = |text: &Value| {
                    let literal = *self.found.literals.get(text)?;
                    // SAFETY: I4: the offset of a CONST operand leads to a literal; I3: its string is live.
                    let first = unsafe {
                        let literal = &*literal;
                        if literal.kind() != STRING {
                            return None;
                        }
                        (*literal.string()).as_bytes().first().copied()
                    };
                    Some(first? > b'9')
                };
                let is_known = texts.iter().any(|text| is_none(text) == Some(true));
                is_known.then_some(Operation::Bool(true))
            }
            _ => None,
        }
    }

    /// What a word of the runtime cache says. Once it is filled that stays true: other facts may take its place
    /// there, but all words of an opline are read at once, and each clause tests what they are about.
    fn remembered(&self, offset: u32) -> Option<u64> {
        let cache = self.translator.request.code.cache(self.opline);
        if cache.is_null() {
            return None;
        }
        // SAFETY: I4: the offset is that of a word in the cache of this function's frames, which is live.
        Some(unsafe { cache.add(offset as usize).cast::<u64>().read() })
    }

    pub(super) fn intrinsic(
        &mut self,
        intrinsic: ir::Intrinsic,
        arguments: &[ir::Value],
        output: Option<ir::Value>,
        at: &mut Position,
    ) -> Option<Value> {
        let given: Vec<Value> = arguments.iter().map(|value| self.value(*value)).collect();
        if intrinsic == ir::Intrinsic::VariablesNeedRelease {
            if self.gives_back_variables(output, at) {
                return None;
            }
            self.translator.save_variables(at);
        }
        if self.clears_frame(intrinsic, &given, at) {
            return None;
        }
        let changes = intrinsic.effect() != ir::IntrinsicEffect::Pure;
        if changes && self.translator.request.code.moves_call(self.opline) {
            // The call may have more arguments from here on than were counted where it was prepared.
            at.state.calls.clear();
        }
        if intrinsic == ir::Intrinsic::FrameBytes
            && let Some(bytes) = self.frame_bytes(given[0], at)
        {
            return Some(bytes);
        }
        if let Some(answer) = self.answer_known(intrinsic, &given) {
            return self.push(at, answer);
        }
        if let Some(element) = self.element_of_literal(intrinsic, &given, at) {
            return Some(element);
        }
        if let Some(answer) = self.equals_literal(intrinsic, &given, at) {
            return Some(answer);
        }
        for (wanted, value) in intrinsic.arguments().iter().zip(&given) {
            if let Argument::Typed(_) = wanted {
                self.before_access(*value, at);
            }
        }
        let changes = intrinsic.effect() != ir::IntrinsicEffect::Pure;
        let slots: Vec<Value> = intrinsic
            .arguments()
            .iter()
            .zip(&given)
            .filter(|(wanted, _)| matches!(wanted, Argument::To(Structure::Slot)))
            .map(|(_, value)| *value)
            .collect();
        for slot in &slots {
            self.before_access(*slot, at);
        }
        let value = self.push(at, Operation::Intrinsic(intrinsic, Arguments::new(&given)?));
        if changes {
            self.forget_types_at();
            for slot in slots {
                self.after_write(Place::At(slot), None, at);
            }
        }
        if matches!(
            intrinsic,
            ir::Intrinsic::GlobalVariable | ir::Intrinsic::GlobalEntry
        ) {
            self.found
                .origins
                .extend(value.map(|value| (value, Origin::Anywhere)));
        }
        if intrinsic.may_exit()
            && let Some(value) = value
        {
            use vm_def::ir::UnaryOperation::{IsNull, NotBool};
            let null = self.push(at, Operation::Unary(IsNull, value))?;
            let found = self.push(at, Operation::Unary(NotBool, null))?;
            match changes {
                true => self.leave_unless_done(found, at),
                false => self.guard(found, ir::Reason::Value, at),
            }
        }
        value
    }
}
