"""Writes and reads `.tile` programs, and asks Tileproof about them. One file, no dependencies, Python 3.9 or later: copy it into your compiler.

A compiler builds one `Program` from what its tiler was given and one from what the tiler made of it, and calls `check`:

    import tileproof as tp

    before, i = tp.Program("scale"), tp.axis("i", 100)
    x, y = before.buffer("x", "f32", [100], role="in"), before.buffer("y", "f32", [100], role="out")
    before.statement("map", y[i], "=", 2 * x[i], over=[i])

    after, i = tp.Program("scale_tiled"), tp.axis("i", 32)
    x, y = after.buffer("x", "f32", [100], role="in"), after.buffer("y", "f32", [100], role="out")
    with after.par("b", 4) as b:                            # for b in 0..4 par { ... }
        inside = 32 * b + i < 100
        t = after.buffer("t", "f32", [32], "sbuf")          # declared in the loop: fresh and undefined in each iteration
        after.statement("load", t[i], "=", x[32 * b + i], over=[i], where=inside)
        after.statement("map", t[i], "=", 2 * t[i], over=[i], where=inside)
        after.statement("store", y[32 * b + i], "=", t[i], over=[i], where=inside)

    result = tp.check(before, after)
    assert result, result                                   # tested: field

A tiler that is given programs as text (`tileproof fuzz --pass-command`) takes them apart with `read`, and prints what it made of them.

A mistake that can be seen at once raises `TileError` in the call that makes it, with the caller's file and line; the rest is reported by
`check` as `bad-input`. docs/language.md says what everything means, docs/importing.md how the constructs of a compiler map to it.
"""
from __future__ import annotations

import difflib, json, operator, os, re, shutil, subprocess, sys, tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

DTYPES = tuple("f64 f32 tf32 f16 bf16 e4m3 e4m3fn e5m2 e8m0 e2m1 i64 i32 i16 i8 i4 i2 u32 u16 u8 bool".split())
UPDATES = tuple("= += *= max= min= and= or= xor=".split())
LOOP_KINDS, AXIS_KINDS, ROLES = ("seq", "par", "shard", "thread"), ("parallel", "reduce", "seq"), ("in", "out", "inout")
PROGRAM_KINDS = ("plain", "incore", "aic", "aiv", "group", "orchestration", "opaque")
_FUNCTIONS = tuple("select min max bitand bitor bitxor shl shr bitnot exp log sqrt rsqrt tanh sigmoid silu softplus erf gelu sin cos abs "
                   "sign floor ceil round".split())
#: Words that cannot be names. Opcodes may be `reduce`, `cast` or a function, and tags may be any word.
RESERVED = frozenset(
    "tile program param buffer view for if else while group move opaque over where start stop clobbers and or not mod floordiv in out "
    "inout at valid range seq par shard thread reduce as tags kind machine cast inf nan".split()) | set(_FUNCTIONS) | set(DTYPES)
_OPCODES = ("reduce", "cast") + _FUNCTIONS

class TileError(ValueError):
    """A program that the language does not have. The text begins with the file and the line that asked for it."""

def _fail(message: str) -> NoReturn:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename == _fail.__code__.co_filename:
        frame = frame.f_back
    raise TileError(f"{frame.f_code.co_filename}:{frame.f_lineno}: {message}")

def _one_of(word: Any, words: Sequence[str], what: str) -> str:
    if word in words:
        return word
    near = difflib.get_close_matches(str(word), words, 1)
    _fail(f"the {what} {word!r} does not exist; " + (f"did you mean {near[0]!r}?" if near else "take one of " + " ".join(words)))

def _name(word: Any, what: str, allowed: Iterable[str] = (), pattern: str = "[A-Za-z_][A-Za-z0-9_]*") -> str:
    if not isinstance(word, str) or not re.fullmatch(pattern, word) or len(word) > 255:
        mended = re.sub(r"^(?=\d|$)", "_", re.sub(r"\W", "_", str(word), flags=re.ASCII))[:255]
        _fail(f"{word!r} cannot be the name of {what}: a letter or _, then letters, digits and _, at most 255; {mended!r} would do")
    if word in RESERVED and word not in allowed:
        _fail(f"{word!r} is a word of the language and cannot be the name of {what}; {word + '_'!r} would do")
    return word

_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _UNARY, _PRIMARY = range(8)   # how tight operators bind
_BINARY = {"or": _OR, "and": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "floordiv": _PRODUCT, "mod": _PRODUCT}
_BINARY.update(dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), _COMPARISON))

def _operator(op: str, swap: bool = False) -> Callable[..., Expr]:
    return lambda a, b: _Compound(op, expr(b), expr(a)) if swap else _Compound(op, expr(a), expr(b))
def _joint(sign: str, op: str) -> Callable[..., Expr]:
    def join(*sides: Any) -> Expr:
        for e in map(expr, sides):
            if e._op not in ("and", "or", "not") and e._level() != _COMPARISON:
                _fail(f"`{sign}` joins comparisons in parentheses, and `{e}` is none; write bit{op}(...) for bits, or logical_{op}(...)")
        return _Compound(op, *map(expr, sides))
    return join

class Expr:
    """An expression over numbers, parameters, loop variables, axes and reads of buffers, built by Python's operators.

    They are `+ - * /`, `//` (floordiv), `%` (mod), the comparisons, and `& | ~` (and, or, not) between comparisons. `logical_and`,
    `logical_or` and `logical_not` take any integers, `bitand(a, b)` and its like work on bits. Write `tileproof.min(a, b)`, not `min`."""
    __slots__ = ("_op", "_args", "_word")
    __array_ufunc__ = None                                  # numpy's scalars leave their operators to this class

    def __init__(self, op: str, *args: Expr, word: str = "") -> None:
        self._op, self._args, self._word = op, args, word

    __add__, __sub__, __mul__, __truediv__, __floordiv__, __mod__ = map(_operator, ("+", "-", "*", "/", "floordiv", "mod"))
    __radd__, __rsub__, __rmul__ = _operator("+", True), _operator("-", True), _operator("*", True)
    __rtruediv__, __rfloordiv__, __rmod__ = _operator("/", True), _operator("floordiv", True), _operator("mod", True)
    __lt__, __le__, __gt__, __ge__ = _operator("<"), _operator("<="), _operator(">"), _operator(">=")
    __eq__, __ne__, __hash__ = _operator("=="), _operator("!="), object.__hash__  # type: ignore[assignment]
    __and__, __or__, __invert__ = _joint("&", "and"), _joint("|", "or"), _joint("~", "not")
    __neg__ = lambda self: _Compound("neg", self)
    __repr__ = lambda self: self._text()

    def __bool__(self) -> bool:
        _fail(f"`{self}` is known only when the program runs. Instead of `a < b < c`, `and`, `or`, `not`, `min(...)` and `max(...)` write "
              "`(a < b) & (b < c)`, `&`, `|`, `~`, tileproof.min(...) and tileproof.max(...)")
    def _level(self) -> int:
        return {"neg": _UNARY, "not": _NOT}.get(self._op, _BINARY.get(self._op, _PRIMARY))
    def _text(self, least: int = _OR) -> str:
        """The canonical text, in parentheses if it binds less tight than `least`."""
        op, args, level = self._op, self._args, self._level()
        if op in ("number", "name", "special"):
            return self._word
        if op in _BINARY:
            tight = op in "*/" and all(a._op in ("number", "name") for a in args)
            text = args[0]._text(level + (level == _COMPARISON)) + (op if tight else f" {op} ") + args[1]._text(level + 1)
        elif op in ("neg", "not"):
            text = ("-" if op == "neg" else "not ") + args[0]._text(level)
        elif op == "read":
            text = f"{self._word}[{_commas(args)}]"
        else:
            text = f"{op}({self._word}{_commas(args)})"
        return f"({text})" if level < least else text

class _Compound(Expr):
    """A class of its own, since Python turns `a < b` into `b > a` where the class of b is derived from that of a."""
def _commas(items: Iterable[Any]) -> str:
    return ", ".join(map(str, items))
def _all_hold(conditions: Iterable[Expr]) -> str:
    return " and ".join(c._text(_NOT) for c in conditions)

def _decimal(value: Decimal) -> str:
    """The canonical text of a finite number, without its sign."""
    whole = "".join(map(str, value.as_tuple().digits)).lstrip("0")
    digits = whole.rstrip("0")
    exponent = int(value.as_tuple().exponent) + len(whole) - len(digits)
    point = len(digits) + exponent
    if not digits:
        return "0"
    if int(digits) >= 2**63 or not -400 <= exponent <= 400:
        _fail(f"the number {value} cannot be written: without zeros at its ends, its digits must be below 2^63")
    if exponent >= 0 and point <= 19 and int(digits) * 10**exponent < 2**63:
        return digits + "0" * exponent
    if exponent < 0 < point:
        return digits[:point] + "." + digits[point:]
    if exponent < 0 and point > -4:
        return "0." + "0" * -point + digits
    return digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{point - 1}"

def expr(value: Any) -> Expr:
    """An `Expr` as it is, a Python or numpy number as a literal. A float is written with the digits that read back as the same float."""
    if isinstance(value, Expr):
        return value
    try:
        number = value if isinstance(value, Decimal) else Decimal(operator.index(value))
    except TypeError:
        try:
            number = Decimal(repr(float(None if isinstance(value, str) else value)))
        except (TypeError, ValueError):
            _fail(f"{getattr(value, 'name', repr(value))} is no expression, which is made of numbers, axes, loop variables and reads, x[i]")
    literal = _Compound("number", word=_decimal(number)) if number.is_finite() else nan if number.is_nan() else inf
    return _Compound("neg", literal) if number.is_signed() and not number.is_nan() else literal

def _conditions(value: Any, what: str) -> List[Expr]:
    """The comparisons that must all hold, of one, a conjunction or a list. A loop that was unrolled in Python gives True and False."""
    if isinstance(value, (list, tuple)):
        return [c for each in value for c in _conditions(each, what)]
    if value is None or value is True:
        return []
    e = _Compound("==", expr(0), expr(1)) if value is False else expr(value)
    if e._op == "and":
        return [c for each in e._args for c in _conditions(each, what)]
    if e._level() != _COMPARISON:
        _fail(f"{what} takes comparisons, one or a list of which all must hold; `{e}` is none")
    return [e]

def _function(name: str, arity: int, op: str = "") -> Callable[..., Expr]:
    def call(*operands: Any) -> Expr:
        if len(operands) != arity:
            _fail(f"{name} takes {arity} operand{'s' * (arity > 1)}, and {len(operands)} are given")
        return _Compound(op or name, *map(expr, operands))
    call.__name__, call.__doc__ = name, f"`{op or name}` of docs/language.md; {arity} operand{'s' * (arity > 1)}."
    return call

select = _function("select", 3)
min, max, bitand, bitor, bitxor, shl, shr = (_function(f, 2) for f in _FUNCTIONS[1:8])
(bitnot, exp, log, sqrt, rsqrt, tanh, sigmoid, silu, softplus, erf, gelu, sin, cos, abs, sign, floor, ceil,
 round) = (_function(f, 1) for f in _FUNCTIONS[8:])
logical_and, logical_or, logical_not = map(_function, ("logical_and", "logical_or", "logical_not"), (2, 2, 1), ("and", "or", "not"))
inf, nan = _Compound("special", word="inf"), _Compound("special", word="nan")

def cast(dtype: str, value: Any) -> Expr:
    """The value rounded and converted as by a store into `dtype`. Emit one wherever the hardware rounds between two operations."""
    return _Compound("cast", expr(value), word=_one_of(dtype, DTYPES, "dtype") + ", ")

class Variable(Expr):
    """A parameter, loop variable or axis: an integer."""
    extent: Any = None                                      # of an axis; so are the next two
    kind = text = ""
def axis(name: str, extent: Any, kind: str = "parallel", tags: Any = None) -> Variable:
    """An axis of a statement, or a dim of a view: it runs from 0 to `extent`. One object may serve many statements.

    `parallel`: the points have no order. `reduce`: they are combined by the statement's `+=`, `max=`, ... `seq`: in order."""
    a = Variable("name", word=_name(name, "an axis"))
    a.extent, a.kind = expr(extent), _one_of(kind, AXIS_KINDS, "axis kind")
    a.text = f"{name}:{a.extent}{_tags(tags)}" + ("" if kind == "parallel" else " " + kind)
    return a

def _tags(tags: Any, before: str = " ") -> str:
    """Tags are a dict of name to True (the name alone), an int, a word or a list of these; or a list of names."""
    def atom(value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return f"[{_commas(map(atom, value))}]"
        return str(value) if type(value) is int else _name(value, "the value of a tag", RESERVED)
    pairs = tags if isinstance(tags, Mapping) else dict.fromkeys(tags or (), True)
    texts = [_name(n, "a tag", RESERVED) + ("" if v is None or v is True else f"={atom(v)}") for n, v in pairs.items()]
    return f"{before}{{{' '.join(texts)}}}" if texts else ""

class Buffer:
    """An array in a memory space, made by `Program.buffer`. `x[i, 2*j]` is an element of it."""
    __iter__ = None
    def __init__(self, name: str, rank: int, role: Optional[str]) -> None:
        self.name, self.rank, self.role = name, rank, role

    def __getitem__(self, indices: Any) -> Read:
        indices = indices if isinstance(indices, tuple) else (indices,)
        if any(isinstance(i, slice) for i in indices):
            _fail(f"{self.name} takes one index for each dim; a slice is an axis: {self.name}[64*b + i] over i:64")
        if len(indices) != self.rank:
            _fail(f"{self.name} has {self.rank} dim{'s' * (self.rank > 1)}, and the number of indices is {len(indices)}")
        element = Read("read", *map(expr, indices), word=self.name)
        element.target = self
        return element

class View(Buffer):
    """Other indices for the elements of a buffer or view, made by `Program.view`."""

class Read(Expr):
    """An element of a buffer or view: an operand, an index (a gather), or the destination of a statement."""
    target: Buffer

class _Block:
    """A block (`for ... {`, `if ... {`, ...) with its items. `with` opens it and gives the variable of a loop."""
    def __init__(self, program: Program, head: str, variable: Optional[Variable] = None, branch: Optional[_Block] = None) -> None:
        self.program, self.head, self.variable, self.branch = program, head, variable, branch
        self.items: List[Union[str, _Block]] = []
        self.other: Optional[_Block] = None                 # the `else` of an `if`

    def __enter__(self) -> Any:
        if self.branch is not None:
            self.branch.other = self
        self.program._open[-1].items += [self] * (self.branch is None)
        self.program._open.append(self)
        self.program._scopes.append({})
        if self.variable is not None:
            self.program._declare(self.variable._word, self.variable, "a loop variable")
        return self.variable
    def __exit__(self, *unused: Any) -> None:
        self.program._open.pop()
        self.program._scopes.pop()

    def text(self, depth: int) -> str:
        items = [item if isinstance(item, str) else "  " * (depth + 1) + item.text(depth + 1) for item in self.items]
        body = "{\n" + "".join(item + "\n" for item in items) + "  " * depth + "}" if items else "{ }"
        return self.head + body + (" else " + self.other.text(depth) if self.other is not None and self.other.items else "")

class Program:
    """One program of a `.tile` file. Its methods append to the innermost open block; `str(program)` is its canonical text.

    `machine` is what the program is written for: its limits are judged where the program is the second one of a check."""
    def __init__(self, name: str, machine: Optional[str] = None, kind: str = "plain", tags: Any = None) -> None:
        head = f"program {_name(name, 'a program')}" + f" kind {_one_of(kind, PROGRAM_KINDS, 'program kind')}" * (kind != "plain")
        if machine is not None:
            head += f" machine {_name(machine, 'a machine', RESERVED, '[A-Za-z_][-.A-Za-z0-9_]*')}"
        self.name, self._scopes = name, [{}]                # type: str, List[Dict[str, Any]]
        self._open = [_Block(self, head + _tags(tags, " tags ") + " ")]

    def param(self, name: str, low: int, high: int) -> Variable:
        """An integer that is known when the program runs, e.g. a dynamic extent: `low` to `high`, both included."""
        if any(not isinstance(item, str) or not item.startswith("  param ") for item in self._open[0].items):
            _fail(f"the parameter {name} comes too late: parameters stand before everything else")
        self._declare(name, Variable("name", word=name), "a parameter")
        self._line(f"param {name} : {operator.index(low)}..{operator.index(high)}")
        return self[name]

    def buffer(self, name: str, dtype: str, shape: Sequence[Any], space: str = "dram", role: Optional[str] = None, *,
               bar: Optional[int] = None, at: Optional[Tuple[Any, Any]] = None, valid: Optional[Sequence[Any]] = None,
               range: Any = None, tags: Any = None) -> Buffer:
        """Declares an array. In the block of a loop it is a fresh one, undefined again, in each iteration.

        `role` is `in`, `out` or `inout` for what the program shares with its partner, else None. `bar=1`: the first dim lies on
        partitions (`f32[128 | 512]`). `at=(partition, byte)`: its address. `valid`: for each dim the extent, or (low, high), that is
        claimed to be defined. `range`: the values of an integer buffer as (low, high), high excluded; or high alone."""
        self._see(*shape, *(at or ()), what=f"the buffer {name}")
        text = f"buffer {name}{_tags(tags)} : {_one_of(dtype, DTYPES, 'dtype')}[{self._bar(shape, bar)}] {_name(space, 'a space')}"
        text += "" if role is None else " " + _one_of(role, ROLES, "role")
        if role is not None and len(self._open) > 1:
            _fail(f"the {role} buffer {name} stands in a block; declare it before the first loop")
        if at is not None:
            text += " at " + ":".join(expr(end)._text(_PRIMARY) for end in at)
        if valid is not None:
            if len(valid) != len(shape):
                _fail(f"`valid` of {name} needs one range for each of its {len(shape)} dims")
            lows, highs = zip(*(v if isinstance(v, (tuple, list)) else (0, v) for v in valid))
            self._see(*lows, *highs, what=f"`valid` of {name}")
            text += f" valid [{_commas(str(expr(h)) if str(expr(l)) == '0' else f'{expr(l)}..{expr(h)}' for l, h in zip(lows, highs))}]"
        if range is not None:
            text += " range " + "..".join(str(expr(end)) for end in (range if isinstance(range, (tuple, list)) else (0, range)))
        self._declare(name, Buffer(name, len(shape), role), "a buffer")
        self._line(text)
        return self[name]

    def view(self, name: str, dims: Sequence[Variable], base: Read, *, bar: Optional[int] = None, tags: Any = None) -> View:
        """Other indices for a buffer: `view("flat", [r], x[r // 4, r % 4])` with `r = axis("r", 12)`. Nothing is copied."""
        if not isinstance(base, Read):
            _fail("the base of a view is an element: x[i, j]")
        texts = [dim.text for dim in self._axes(dims, f"the view {name}", ("parallel",))]
        self._see(base, axes=dims, what=f"the view {name}")
        self._declare(name, View(name, len(dims), base.target.role), "a view")
        self._line(f"view {name}{_tags(tags)}[{self._bar(texts, bar)}] = {base}")
        return self[name]

    def __getitem__(self, name: str) -> Any:
        """The visible buffer, view, parameter or loop variable of that name."""
        for scope in self._scopes:
            if name in scope:
                return scope[name]
        _one_of(name, [known for scope in self._scopes for known in scope], "visible name")

    def statement(self, opcode: str, destination: Read, update: str, value: Any, *, over: Sequence[Variable] = (), where: Any = None,
                  start: Any = None, stop: Any = None, acc: Optional[str] = None, clobbers: Sequence[Buffer] = (),
                  tags: Any = None) -> None:
        """`OPCODE dst[...] = value over axes where conditions`: executed once at each point of its axes where the conditions hold.

        `update` is `=`, or `+= *= max= min= and= or= xor=` to accumulate. `start=True` begins the accumulator anew, `start=(kb == 0)`
        does so where that holds, and without it the old value counts. `stop` claims when the accumulation is complete. `acc` is the
        dtype that an accumulation is rounded to, `clobbers` names scratch that is undefined afterwards."""
        if not isinstance(destination, Read) or destination.target.role == "in":
            _fail(f"{opcode} writes an element of a buffer that is no input, t[i]; {getattr(destination, 'name', destination)} is none")
        axes, wheres = self._axes(over, opcode, AXIS_KINDS), _conditions(where, "`where`")
        claims = {word: _conditions(claim, f"`{word}`") for word, claim in (("start", start), ("stop", stop))
                  if claim is not None and claim is not False}
        if _one_of(update, UPDATES, "update") == "=" and (claims or any(a.kind == "reduce" for a in axes)):
            _fail("`=` stores at each point; a reduce axis, `start` and `stop` need an update that accumulates: `+=`, `max=`, ...")
        self._see(destination, value, *wheres, axes=axes, what=opcode)
        for word, conditions in claims.items():
            self._see(*conditions, axes=[a for a in axes if a.kind != "reduce"], what=f"`{word}` of {opcode}")
        clauses = ["over " + ", ".join(a.text for a in axes)] * bool(axes) + ["where " + _all_hold(wheres)] * bool(wheres)
        clauses += [f"{word} {_all_hold(conditions)}".rstrip() for word, conditions in claims.items()]
        clauses += [] if acc is None else ["acc " + _one_of(acc, DTYPES, "dtype")]
        clauses += ["clobbers " + _commas(map(self._buffer, clobbers))] * bool(clobbers)
        indentation = "  " * len(self._open)
        lines = [f"{indentation}{_name(opcode, 'an opcode', _OPCODES)}{_tags(tags)} {destination} {update} {expr(value)}"]
        for clause in clauses:
            fits = len(lines[-1]) + 1 + len(clause) <= 120
            lines[-1:] = [f"{lines[-1]} {clause}"] if fits else [lines[-1], indentation + " " * 7 + clause]
        self._open[-1].items.append("\n".join(lines))

    def move(self, destinations: Sequence[Buffer], sources: Sequence[Buffer]) -> None:
        """Copies whole buffers and reads all sources before it writes: `move([a, b], [b, a])` swaps. For values that a loop carries."""
        if len(destinations) != len(sources) or not destinations:
            _fail("a move has one source for each destination")
        self._line(f"move {_commas(map(self._buffer, destinations))} = {_commas(map(self._buffer, sources))}")

    def opaque(self, name: str, *arguments: Tuple[str, Buffer]) -> None:
        """An operation of which only its arguments are known: `opaque("topk", ("in", x), ("out", y))`. Name and order count."""
        if all(role == "in" for role, _ in arguments):
            _fail(f"the opaque operation {name} has no `out` or `inout` argument")
        texts = [f"{_one_of(role, ROLES, 'role')} {self._buffer(buffer)}" for role, buffer in arguments]
        self._line(f"opaque {_name(name, 'an opaque operation')}({_commas(texts)})")

    def comment(self, text: str) -> None:
        """A line for people: the compiler's own name of the instruction that follows, say."""
        self._open[-1].items += ["  " * len(self._open) + f"# {line}".rstrip() for line in text.splitlines()]

    def loop(self, name: str, *bounds: Any, kind: str, tags: Any = None) -> _Block:
        """`with p.loop("b", 8, kind="shard") as b:` or `("b", low, high, kind=...)`; runs from low to high - 1. See `seq` and `par`."""
        low, high = bounds if len(bounds) == 2 else (0, *bounds) if len(bounds) == 1 else _fail(f"the loop {name} has one bound or two")
        self._see(low, high, what=f"the loop {name}")
        head = f"for {_name(name, 'a loop variable')}{_tags(tags)} in {expr(low)}..{expr(high)} {_one_of(kind, LOOP_KINDS, 'loop kind')} "
        return _Block(self, head, Variable("name", word=name))

    def seq(self, name: str, *bounds: Any, tags: Any = None) -> _Block:
        """A loop in order: `with p.seq("kb", 7) as kb:`. What reduction loops, and all that accumulate, are."""
        return self.loop(name, *bounds, kind="seq", tags=tags)
    def par(self, name: str, *bounds: Any, tags: Any = None) -> _Block:
        """A loop whose iterations may come in any order: the claim that none touches what another one writes."""
        return self.loop(name, *bounds, kind="par", tags=tags)

    def if_(self, condition: Any) -> _Block:
        """`with p.if_(b < 3):`, and perhaps right behind it `with p.else_():`."""
        return _Block(self, f"if {self._test(condition, 'if')} ")
    def else_(self) -> _Block:
        """The other branch of the `if_` that ended right before."""
        last = self._open[-1].items[-1] if self._open[-1].items else None
        if not isinstance(last, _Block) or not last.head.startswith("if ") or last.other is not None:
            _fail("`else_` stands right behind an `if_`")
        return _Block(self, "", branch=last)

    def while_(self, condition: Any, max: Any) -> _Block:
        """Repeats while the condition holds; that it still does after `max` iterations is a finding."""
        self._see(max, what="`max` of a while")
        return _Block(self, f"while {self._test(condition, 'while')} max {expr(max)._text(_PRIMARY)} ")

    def group(self, name: str, opcode: Optional[str] = None, tags: Any = None) -> _Block:
        """A bracket around items; with an opcode, the claim that one instruction executes all of its statements."""
        claim = "" if opcode is None else f" as {_name(opcode, 'an opcode', _OPCODES)}"
        return _Block(self, f"group {_name(name, 'a group')}{claim}{_tags(tags, ' tags ')} ")

    def __str__(self) -> str:
        if len(self._open) > 1:
            _fail(f"the block `{self._open[-1].head}` is still open")
        return f"tile 1\n{self._open[0].text(0)}\n"
    def save(self, path: Union[str, os.PathLike]) -> Path:
        """Writes the program to a file, makes its folder if need be, and returns the path."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(str(self), encoding="utf-8")
        return Path(path)

    def _line(self, text: str) -> None:
        self._open[-1].items.append("  " * len(self._open) + text)
    def _declare(self, name: str, what: Any, kind: str) -> None:
        if any(_name(name, kind) in scope for scope in self._scopes):
            _fail(f"{name!r} is visible here and cannot be declared again; choose another name")
        self._scopes[-1][name] = what
    def _see(self, *values: Any, axes: Sequence[Variable] = (), what: str) -> None:
        """Every name in the values is visible here, or an axis."""
        for e in map(expr, values):
            declared = e.target if isinstance(e, Read) else e
            visible = any(scope.get(e._word) is declared for scope in self._scopes) or any(e is a for a in axes)
            if isinstance(e, (Read, Variable)) and not visible:
                _fail(f"{what} uses {e._word}, which is not visible there: " + (
                    "its block has ended, or it belongs to another program" if isinstance(e, Read) else
                    "an axis must be in `over` (in `start` and `stop`: not a reduce axis), a loop variable is known in its loop only"))
            self._see(*e._args, axes=axes, what=what)
    def _axes(self, axes: Sequence[Variable], what: str, kinds: Sequence[str]) -> Sequence[Variable]:
        for n, a in enumerate(axes):
            if not isinstance(a, Variable) or a.extent is None or a.kind not in kinds:
                _fail(f"{what} takes axes made by axis(name, extent)" + ", of no kind" * (len(kinds) == 1))
            if any(a._word in scope for scope in self._scopes) or any(a._word == b._word for b in axes[:n]):
                _fail(f"the axis {a._word!r} of {what} has the name of something visible; choose another name")
            self._see(a.extent, what=f"the axis {a._word}")
        return axes
    def _buffer(self, buffer: Any) -> str:
        if type(buffer) is not Buffer or not any(scope.get(buffer.name) is buffer for scope in self._scopes):
            _fail(f"{getattr(buffer, 'name', buffer)!r} is no buffer that is visible here (a view or an element is none)")
        return buffer.name
    def _test(self, condition: Any, what: str) -> str:
        conditions = _conditions(condition, f"`{what}`") or [_Compound("==", expr(0), expr(0))]
        self._see(*conditions, what=f"`{what}`")
        return _all_hold(conditions)
    @staticmethod
    def _bar(dims: Sequence[Any], bar: Optional[int]) -> str:
        texts = [dim if isinstance(dim, str) else str(expr(dim)) for dim in dims]
        if bar is not None and not 0 < bar < len(texts):
            _fail(f"`bar` is the number of dims on partitions, with a dim on both sides: 1 to {len(texts) - 1}, not {bar}")
        return _commas(texts) if bar is None else f"{_commas(texts[:bar])} | {_commas(texts[bar:])}"

class Axis:
    """An axis of a statement that was read; all but `kind` as text."""
    def __init__(self, name: str, extent: str, kind: str = "parallel", tags: str = "") -> None:
        self.name, self.extent, self.kind, self.tags = name, extent, kind, tags
    def __str__(self) -> str:
        return f"{self.name}:{self.extent}{self.tags and ' ' + self.tags}" + ("" if self.kind == "parallel" else " " + self.kind)

class Declaration:
    """A buffer that was read: `extents` are texts, `bar` of which lie on partitions (None: it has no bar), `role` is `in`, `out`, `inout` or
    empty, `tags` are text, and `rest` is what follows (`at`, `valid`, `range`). `str` is the whole line."""
    def __init__(self, line: str) -> None:
        words = re.fullmatch(r"buffer (\w+)( \{[^}]*\})? : (\w+)\[(.*?)\] (\w+)(?: (in|out|inout))?((?: (?:at|valid|range) .*)?)", line)
        if not words:
            _fail(f"{line!r} is no buffer as `tileproof compile` prints it; `read` takes its text, so compile the file first")
        self.name, tags, self.dtype, extents, self.space, self.role, rest = words.groups("")
        self.tags, self.rest = tags.strip(), rest.strip()
        sides = [_cut(side, ", ") for side in extents.split(" | ")]
        self.extents, self.bar = [e for side in sides for e in side], len(sides[0]) if len(sides) > 1 else None
    def __str__(self) -> str:
        end = "".join(" " + part for part in (self.role, self.rest) if part)
        shape = Program._bar(self.extents, self.bar)
        return f"buffer {self.name}{self.tags and ' ' + self.tags} : {self.dtype}[{shape}] {self.space}{end}"

class Statement:
    """A statement that was read: expressions are text, in lists where there may be several. `clauses` has `start`, `stop`, `acc` and
    `clobbers` as they stand behind their words. `str` is the whole statement in one line."""
    def __init__(self, line: str) -> None:
        head, *clauses = _cut(line, r" (?=(?:over|where|start|stop|clobbers)\b)| (?=acc (?:" + "|".join(DTYPES) + r")\b)")
        words = re.fullmatch(r"(\w+)( \{[^}]*\})? (\w+)\[(.*\] (?:" + "|".join(map(re.escape, UPDATES)) + ") .*)", head)
        if not words:
            _fail(f"{line!r} is no statement as `tileproof compile` prints it; `read` takes its text, so compile the file first")
        self.opcode, self.tags, self.destination, head = words.groups("")
        indices, head = _cut("[" + head, r"(?<=\]) ", 1)
        self.update, self.value = head.split(" ", 1)
        self.indices = _cut(indices[1:-1], ", ")
        self.clauses = {word: rest for word, _, rest in (clause.partition(" ") for clause in clauses)}
        self.where = _cut(self.clauses.pop("where"), " and ") if "where" in self.clauses else []
        pattern = r"(\w+):(.*?)( \{[^}]*\})?(?: (reduce|seq))?"
        parts = [re.fullmatch(pattern, axis) for axis in _cut(self.clauses.pop("over"), ", ")] if "over" in self.clauses else []
        self.axes = [Axis(m[1], m[2], m[4] or "parallel", (m[3] or "").strip()) for m in parts if m]

    def substitute(self, bindings: Mapping[str, str]) -> None:
        """Puts expressions in the place of axes, in all indices, conditions and the value: `{"i": "8*b + i"}`. Axes stay as they are."""
        names = re.compile(r"\b(?:" + "|".join(map(re.escape, bindings)) + r")\b")
        def put(text: str) -> str:
            return names.sub(lambda m: f"({bindings[m[0]]})", text) if bindings else text
        self.indices, self.where, self.value = [*map(put, self.indices)], [*map(put, self.where)], put(self.value)
        self.clauses = {word: put(rest) if word in ("start", "stop") else rest for word, rest in self.clauses.items()}

    def parts(self) -> List[str]:
        """The text without clauses, then each clause."""
        over, where = ["over " + _commas(self.axes)] * bool(self.axes), ["where " + " and ".join(self.where)] * bool(self.where)
        head = f"{self.opcode}{self.tags} {self.destination}[{_commas(self.indices)}] {self.update} {self.value}"
        return [head, *over, *where, *(f"{word} {rest}".rstrip() for word, rest in self.clauses.items())]
    def __str__(self) -> str:
        return " ".join(self.parts())

class Block:
    """A program, loop, branch or group that was read: `head` is what stands before its brace. `items` are blocks, statements, declarations of buffers, and all
    else as text; `other` is the `else` of an `if`. `str` is the text, that of a program with `tile 1`."""
    def __init__(self, head: str, items: Sequence[Any] = ()) -> None:
        self.head, self.items, self.other = head, list(items), None  # type: str, List[Any], Optional[Block]

    def statements(self) -> List[Statement]:
        """All statements in the block and the blocks in it, in the order of the text."""
        inside = [b.statements() if isinstance(b, Block) else [b] * isinstance(b, Statement) for b in (*self.items, self.other)]
        return [statement for each in inside for statement in each]
    def buffers(self) -> List[Declaration]:
        """All buffers that are declared in the block and the blocks in it, in the order of the text."""
        inside = [b.buffers() if isinstance(b, Block) else [b] * isinstance(b, Declaration) for b in (*self.items, self.other)]
        return [declaration for each in inside for declaration in each]
    def text(self, depth: int = 0) -> str:
        lines = [self.head + " {" if self.head else "{"]
        for item in self.items:
            lines += ["  " * (depth + 1) + (item.text(depth + 1) if isinstance(item, Block) else "" if isinstance(item, Statement) else str(item))]
            for n, part in enumerate(item.parts() if isinstance(item, Statement) else ()):
                fits = len(lines[-1]) + 1 + len(part) <= 120 or n == 0
                lines[-1:] = [lines[-1] + " " * (n > 0) + part] if fits else [lines[-1], "  " * (depth + 1) + " " * 7 + part]
        body = "\n".join([*lines, "  " * depth + "}"]) if self.items else lines[0] + " }"
        return body + (" else " + self.other.text(depth) if self.other else "")
    def __str__(self) -> str:
        return f"tile 1\n{self.text()}\n"

def _cut(text: str, at: str, most: int = 0) -> List[str]:
    """The parts of a text between matches of `at` that stand in no bracket."""
    parts, begin, depth = [], 0, 0
    matches = {m.start(): m.end() for m in re.finditer(at, text)}
    for n, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and n in matches and n >= begin and (most == 0 or len(parts) < most):
            parts.append(text[begin:n])
            begin = matches[n]
    return [*parts, text[begin:]]

def read(text: str) -> List[Block]:
    """The programs of a canonical text: what `tileproof fuzz` hands to a tiler, `tileproof compile` prints, and `str` of a program gives."""
    programs: List[Block] = []
    open_blocks: List[Block] = []
    for line in re.sub(r"\n(?:  )+ {5}(?=\w)", " ", text).splitlines():   # a long statement stands on several lines
        line = line.strip()
        if line == "}":
            open_blocks.pop()
        elif line.endswith((" {", " { }")):
            head, is_empty = re.sub(r" \{ ?\}?$", "", line), line.endswith("}")
            if head == "} else":
                block = open_blocks.pop().other = Block("")
            else:
                block = Block(head)
                (open_blocks[-1].items if open_blocks else programs).append(block)
            open_blocks += [block] * (not is_empty)
        elif line and open_blocks:
            is_other = re.match(r"(?:param|view|move|opaque) ", line)
            item = line if is_other else Declaration(line) if line.startswith("buffer ") else Statement(line)
            open_blocks[-1].items.append(item)
    return programs

class Result:
    """What a check said: true if it is a pass. `str(result)` is for people, `record` has all of docs/record.md."""
    def __init__(self, record: Dict[str, Any]) -> None:
        self.record, self.verdict, self.exit = record, str(record["verdict"]), int(record["exit"])
        self.tier, self.reason = str(record.get("tier", "none")), str(record.get("reason", ""))
        self.findings: List[Dict[str, Any]] = record.get("findings", [])
        self.difference: Optional[Dict[str, Any]] = record.get("difference")
        self.errors: List[Dict[str, Any]] = record.get("errors", [])   # of the verdict bad-input
    __bool__ = lambda self: self.verdict in ("proved", "tested")

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {self.tier if self else self.reason}".rstrip(": ")]
        lines += [f"{e['file']}:{e['line']}:{e['column']}: {e['message']}; {e['mend']}" for e in self.errors]
        lines += ["{name} ({id}) in {statement} on {buffer}{0}: {detail}".format(f["element"] or "", **f) for f in self.findings]
        return "\n".join(lines + [f"{key}: {value}" for key, value in (self.difference or {}).items() if value])

Source = Union[Program, str, os.PathLike]

def check(before: Source, after: Source, machine: Union[None, str, os.PathLike] = None, *, tool: Optional[str] = None,
          folder: Union[None, str, os.PathLike] = None, **options: Any) -> Result:
    """Runs `tileproof check` on two programs, or files, and returns what it said.

    `machine` is the name of a built-in machine, or a machine file. Further options are those of the command line: `rounding="relaxed"`,
    `seed`, `keys`, `max_points`, `max_memory`, `timeout`, `program`. Programs are written to `folder` (if not given, one that is deleted
    afterwards) as before.tile and after.tile, so that `record["replay"]` can be run by hand."""
    beside = Path(__file__).resolve().parents[2] / "build" / "tileproof"
    tool = tool or os.environ.get("TILEPROOF") or (str(beside) if beside.exists() else shutil.which("tileproof"))
    if not tool:
        raise FileNotFoundError(f"no tileproof: not in $TILEPROOF, not at {beside}, not on the PATH; build it (README.md) or give tool=")
    command, options = [tool, "check"], {**options, "format": "json"}
    if machine is not None:
        options["machine"] = os.fspath(machine)
    with tempfile.TemporaryDirectory() as scratch:
        for source, name in ((before, "before.tile"), (after, "after.tile")):
            if isinstance(source, Program):
                source = source.save(Path(folder or scratch) / name)
            command.append(os.fspath(source))
        command += [f"--{key.replace('_', '-')}={value}" for key, value in options.items()]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        return Result(json.loads(done.stdout))
    except ValueError:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode} and no record: {done.stderr.strip()}") from None
