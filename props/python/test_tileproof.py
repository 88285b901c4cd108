"""Run by `python3 -m unittest discover -s props/python` in the root of the repository. The tool is $TILEPROOF, or build/tileproof."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tool" / "python"))
import tileproof as tp  # noqa: E402

tool = os.environ.get("TILEPROOF", str(root / "build" / "tileproof"))


def canonical(source):
    """What the tool prints for a program or a file of the corpus."""
    text = str(source) if isinstance(source, tp.Program) else (root / source).read_text()
    done = subprocess.run([tool, "compile", "-"], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stdout or done.stderr


def with_buffers(**buffers):
    """A program with `f32[8]` buffers x (in) and y (out), and others of the given dtypes, 8 elements each."""
    p = tp.Program("p")
    p.buffer("x", "f32", [8], role="in")
    p.buffer("y", "f32", [8], role="out")
    for name, dtype in buffers.items():
        p.buffer(name, dtype, [8])
    return p


class Emitted(unittest.TestCase):
    """Every construct is accepted by the tool, in the canonical text."""

    def expect_accepted(self, p, *texts):
        for text in texts:
            self.assertIn(text, str(p))
        self.assertEqual(canonical(p), str(p))

    def expect_tested(self, p, *texts, **options):
        self.expect_accepted(p, *texts)
        result = tp.check(p, p, tool=tool, **options)
        self.assertEqual(result.verdict, "tested", str(result))

    def test_program_heads(self):
        for kind in tp.PROGRAM_KINDS:
            p = tp.Program("p", machine="ascend-910b", kind=kind, tags={"executor": "aic", "cut": [1, -2, "x"], "principal": True})
            p.buffer("y", "f32", [2], role="out")
            i = tp.axis("i", 2)
            p.statement("memset", p["y"][i], "=", 0, over=[i])
            kind_text = "" if kind == "plain" else f" kind {kind}"
            self.expect_accepted(p, f"program p{kind_text} machine ascend-910b tags {{executor=aic cut=[1, -2, x] principal}} {{")

    def test_parameters(self):
        p = tp.Program("p")
        n = p.param("n", 1, 12)
        p.param("m", -3, 3)
        i = tp.axis("i", n)
        x, y = p.buffer("x", "f32", [n, 2 * n + 1], role="in"), p.buffer("y", "f32", [n], role="out")
        p.statement("map", y[i], "=", x[i, 2 * i] + n, over=[i])
        self.expect_tested(p, "param n : 1..12", "param m : -3..3", "buffer x : f32[n, 2*n + 1] dram in")

    def test_buffers_of_every_dtype(self):
        p = with_buffers(**{f"b_{dtype}": dtype for dtype in tp.DTYPES})
        i = tp.axis("i", 8)
        for dtype in tp.DTYPES:
            p.statement("map", p[f"b_{dtype}"][i], "=", tp.cast(dtype, i), over=[i])
        p.statement("map", p["y"][i], "=", p["x"][i] + p["b_i4"][i] + p["b_f32"][i], over=[i])
        self.expect_tested(p)

    def test_buffer_annotations(self):
        p = with_buffers()
        q = p.buffer("q", "i8", [8], role="in", range=(-4, 4), tags={"F": True})
        with p.seq("b", 2) as b:
            t = p.buffer("t", "f32", [2, 1, 4], "sbuf", bar=2, at=(0, 64 * b), valid=[2, (0, 1), (1, 4)])
            c = p.buffer("c", "u8", [4], "sbuf", at=(b, 7), range=9)
            k, j = tp.axis("k", 4), tp.axis("j", 3)
            p.statement("load", t[b, 0, k], "=", p["x"][4 * b + k], over=[k])
            p.statement("map", c[k], "=", tp.max(q[4 * b + k], 0), over=[k])
            p.statement("store", p["y"][4 * b + j + 1], "=", t[b, 0, j + 1] + c[j + 1], over=[j])
            p.statement("store", p["y"][4 * b], "=", t[b, 0, 0])
        self.expect_accepted(p, "buffer q {F} : i8[8] dram in range -4..4", "buffer c : u8[4] sbuf at b:7 range 0..9",
                             "buffer t : f32[2, 1 | 4] sbuf at 0:(64*b) valid [2, 1, 1..4]")

    def test_views(self):
        p = with_buffers()
        r, c, k = tp.axis("r", 2), tp.axis("c", 4), tp.axis("k", 8)
        grid = p.view("grid", [r, c], p["x"][4 * r + c], bar=1, tags=["P"])
        flat = p.view("flat", [k], grid[k // 4, k % 4])
        p.statement("copy", p["y"][k], "=", flat[7 - k], over=[k])
        self.expect_tested(p, "view grid {P}[r:2 | c:4] = x[4*r + c]", "view flat[k:8] = grid[k floordiv 4, k mod 4]")

    def test_updates_and_clauses(self):
        p = with_buffers(n="i32", f="i8", s="f32")
        i, k, z = tp.axis("i", 8, tags={"P": True, "ag": 3, "from": "m"}), tp.axis("k", 8, "reduce"), tp.axis("z", 8, "seq", tags=["F"])
        p.statement("reduce", p["y"][i], "+=", p["x"][k], over=[i, k], where=[k < 7, i >= 0], start=True, acc="f64")
        for update in ("*=", "max=", "min="):
            p.statement("map", p["y"][i], update, p["x"][i], over=[i], stop=i < 4, tags={"fuse_group": [1, 2]})
        p.statement("map", p["n"][i], "=", i, over=[i])
        for update in ("and=", "or=", "xor="):
            p.statement("map", p["n"][i], update, 3, over=[i], start=(i == 0) & (i < 2), clobbers=[p["f"], p["s"]])
        p.statement("scan", p["y"][z], "=", p["x"][z] + tp.select(z > 0, p["y"][z - 1], 0), over=[z])
        self.expect_accepted(
            p, "reduce y[i] += x[k] over i:8 {P ag=3 from=m}, k:8 reduce where k < 7 and i >= 0 start acc f64",
            "map {fuse_group=[1, 2]} y[i] *= x[i] over i:8 {P ag=3 from=m} stop i < 4", "z:8 {F} seq",
            "start i == 0 and i < 2 clobbers f, s")

    def test_start_before_every_item(self):
        p = with_buffers(t="f32")
        i, t = tp.axis("i", 8), p["t"]
        for opcode in ("load", "reduce", "max", "cast", "exp", "acc"):
            p.statement(opcode, t[i], "+=", p["x"][i], over=[i], start=True)
        p.statement("acc", t[i], "+=", 1, over=[i], start=True, acc="f32")
        with p.if_(True):
            p.statement("store", p["y"][i], "=", t[i], over=[i])
        self.expect_tested(p)

    def test_long_statements_break_before_a_clause(self):
        p = with_buffers()
        i = tp.axis("i", 8)
        with p.seq("b", 1) as b:
            p.statement("map", p["y"][i], "=", p["x"][i] + sum((p["x"][i] * n for n in range(2, 9)), p["x"][i]), over=[i],
                        where=[8 * b + i < 8, 8 * b + i >= 0])
        self.expect_tested(p, "\n           where 8*b + i < 8")

    def test_loops(self):
        p = with_buffers()
        i = tp.axis("i", 1)
        with p.loop("a", 0, 2, kind="shard", tags={"tile": 4}) as a, p.loop("b", 1, kind="thread") as b, p.par("c", 2) as c:
            with p.seq("d", 2 * c, 2 * c + 2) as d:
                p.statement("map", p["y"][4 * a + b + d + i], "=", p["x"][4 * a + b + d + i], over=[i])
        self.expect_tested(p, "for a {tile=4} in 0..2 shard {", "for b in 0..1 thread {", "for c in 0..2 par {", "for d in 2*c..2*c + 2 seq {")

    def test_branches(self):
        p = with_buffers()
        with p.seq("b", 8) as b:
            with p.if_([b < 6, b != 3]):
                p.statement("map", p["y"][b], "=", 1)
            with p.else_():
                with p.if_((b < 3) & (b >= 0)):
                    pass
                p.statement("map", p["y"][b], "=", 2)
        self.expect_tested(p, "if b < 6 and b != 3 {", "} else {", "if b < 3 and b >= 0 { }")

    def test_while(self):
        p = with_buffers(c="i32")
        p.statement("memset", p["c"][0], "=", 0)
        with p.while_(p["c"][0] < 8, max=tp.expr(4) + 4):
            p.statement("map", p["y"][p["c"][0]], "=", p["x"][p["c"][0]])
            p.statement("map", p["c"][0], "+=", 1)
        self.expect_tested(p, "while c[0] < 8 max (4 + 4) {")

    def test_groups(self):
        p = with_buffers()
        i = tp.axis("i", 8)
        with p.group("g", "row_shift", tags={"principal": True, "fuse_group": 2}), p.group("h"):
            p.statement("map", p["y"][i], "=", p["x"][i], over=[i])
        self.expect_tested(p, "group g as row_shift tags {principal fuse_group=2} {", "group h {")

    def test_moves_and_opaque_operations(self):
        p = with_buffers(a="f32", b="f32")
        i = tp.axis("i", 8)
        for name in "ab":
            p.statement("copy", p[name][i], "=", p["x"][i] * 2, over=[i])
        p.move([p["a"], p["b"]], [p["b"], p["a"]])
        p.opaque("topk", ("in", p["x"]), ("inout", p["a"]), ("out", p["b"]))
        p.comment("Two lines\nof text")
        p.statement("store", p["y"][i], "=", p["a"][i] + p["b"][i], over=[i])
        self.assertIn("  move a, b = b, a\n  opaque topk(in x, inout a, out b)\n  # Two lines\n  # of text\n", str(p))
        self.assertEqual(tp.check(p, p, tool=tool).verdict, "tested")

    def test_gather(self):
        p = with_buffers()
        index = p.buffer("index", "i32", [8], role="in", range=8)
        i = tp.axis("i", 8)
        p.statement("gather", p["y"][i], "=", p["x"][index[index[i]]], over=[i], where=index[i] != 3)
        p.statement("memset", p["y"][i], "=", 0, over=[i], where=index[i] == 3)
        self.expect_tested(p, "y[i] = x[index[index[i]]] over i:8 where index[i] != 3")

    def test_functions(self):
        p = with_buffers(n="i32")
        i, x, n = tp.axis("i", 8), p["x"], p["n"]
        p.statement("map", n[i], "=", i, over=[i])
        value, whole = x[i], n[i]
        for name in "exp log sqrt rsqrt tanh sigmoid silu softplus erf gelu sin cos abs sign floor ceil round".split():
            value = value + getattr(tp, name)(x[i])
        for name in "bitand bitor bitxor shl shr min max".split():
            whole = whole + getattr(tp, name)(n[i], 3)
        whole = tp.select(n[i] > 2, whole, tp.bitnot(n[i]))
        p.statement("map", n[i], "=", whole, over=[i])
        p.statement("map", p["y"][i], "=", tp.cast("f32", value) + tp.cast("bf16", n[i]), over=[i])
        self.expect_accepted(p)

    def test_operators_and_parentheses(self):
        p = with_buffers(n="i32")
        i, x, n = tp.axis("i", 8), p["x"], p["n"]
        for value, text in (
                (1 - (x[i] - 2) * -x[i] / 3, "1 - (x[i] - 2) * -x[i] / 3"), (2 / (x[i] / x[i]), "2 / (x[i] / x[i])"),
                (7 // (n[i] + 1) % 3, "7 floordiv (n[i] + 1) mod 3"), (7 % (n[i] // 3), "7 mod (n[i] floordiv 3)"),
                (-(n[i] + 1) - -3, "-(n[i] + 1) - -3"), ((1 < n[i]) + (n[i] <= i), "(n[i] > 1) + (n[i] <= i)"),
                ((n[i] > 1) & (n[i] >= 2) | (n[i] == 3), "n[i] > 1 and n[i] >= 2 or n[i] == 3"),
                ((n[i] > 1) & ((n[i] >= 2) | ~(n[i] != 3)), "n[i] > 1 and (n[i] >= 2 or not n[i] != 3)"),
                (tp.logical_and(tp.logical_or(n[i], 1), tp.logical_not(n[i])), "(n[i] or 1) and not n[i]"),
                ((n[i] < 1) == (n[i] < 2), "(n[i] < 1) == (n[i] < 2)"), (2 * i, "2*i"), (i / 2, "i/2"), (2 * tp.inf, "2 * inf")):
            self.assertEqual(str(value), text)
            p.statement("map", p["y"][i], "=", value, over=[i])
        self.expect_accepted(p)

    def test_numbers(self):
        p = with_buffers()
        for value, text in ((0, "0"), (-3, "-3"), (2**63 - 1, "9223372036854775807"), (0.1, "0.1"), (1e-6, "1e-6"), (-2.5, "-2.5"),
                            (0.0001, "0.0001"), (0.00001234, "1.234e-5"), (1e16, "10000000000000000"), (1.5e300, "1.5e300"), (5e-324, "5e-324"),
                            (3.0, "3"), (-0.0, "-0"), (float("inf"), "inf"), (float("-inf"), "-inf"), (float("nan"), "nan"), (True, "1"),
                            (Decimal("1.20"), "1.2"), (0.08838834764831845, "0.08838834764831845"), (1234.5678, "1234.5678")):
            self.assertEqual(str(tp.expr(value)), text)
            p.statement("map", p["y"][0], "=", value)
        self.expect_accepted(p)

    def test_conditions_that_python_knows(self):
        p = with_buffers()
        i = tp.axis("i", 8)
        for b in range(2):                                  # a loop that the compiler has unrolled
            p.statement("map", p["y"][i], "+=", p["x"][i], over=[i], start=b == 0, where=[b < 2, i < 8])
        p.statement("map", p["y"][i], "=", 9, over=[i], where=3 < 2)
        self.expect_tested(p, "where i < 8 start\n", "where i < 8\n", "where 0 == 1")

    def test_names_may_be_used_again_in_disjoint_blocks(self):
        p = with_buffers()
        for half in range(2):
            with p.par("b", 4) as b:
                t = p.buffer("t", "f32", [1], "sbuf")
                p.statement("load", t[0], "=", p["x"][4 * half + b])
                p.statement("store", p["y"][4 * half + b], "=", t[0])
        self.expect_tested(p)


class Corpus(unittest.TestCase):
    """Programs of the corpus, emitted, are the same text and mean the same."""

    def expect_same(self, p, tiled, original, **options):
        self.assertEqual(str(p), canonical(f"corpus/{tiled}"))
        for before in (tiled, original):
            result = tp.check(root / "corpus" / before, p, tool=tool, **options)
            self.assertEqual((result.verdict, result.tier), ("tested", "field"), str(result))

    def test_matmul_bias_relu_on_trn2(self):
        p = tp.Program("matmul_bias_relu", machine="trn2")
        x, w = p.buffer("x", "bf16", [300, 800], role="in"), p.buffer("w", "bf16", [800, 3200], role="in")
        b, y = p.buffer("b", "f32", [3200], role="in"), p.buffer("y", "bf16", [300, 3200], role="out")
        m, n, k, kr = tp.axis("m", 128), tp.axis("n", 512), tp.axis("k", 128), tp.axis("k", 128, "reduce")
        with p.par("mb", 3) as mb, p.par("nb", 7) as nb:
            rows, columns = 128 * mb + m < 300, 512 * nb + n < 3200
            ps = p.buffer("ps", "f32", [128, 512], "psum", bar=1)
            with p.seq("kb", 7) as kb:
                xt, wt = p.buffer("xt", "bf16", [128, 128], "sbuf", bar=1), p.buffer("wt", "bf16", [128, 512], "sbuf", bar=1)
                p.statement("load", xt[k, m], "=", x[128 * mb + m, 128 * kb + k], over=[k, m], where=[rows, 128 * kb + k < 800])
                p.statement("load", wt[k, n], "=", w[128 * kb + k, 512 * nb + n], over=[k, n], where=[128 * kb + k < 800, columns])
                p.statement("matmul", ps[m, n], "+=", xt[kr, m] * wt[kr, n], over=[m, n, kr], where=[rows, columns, 128 * kb + kr < 800],
                            start=kb == 0, stop=kb == 6)
            bt, yt = p.buffer("bt", "f32", [128, 512], "sbuf", bar=1), p.buffer("yt", "bf16", [128, 512], "sbuf", bar=1)
            p.statement("load", bt[m, n], "=", b[512 * nb + n], over=[m, n], where=columns)
            p.statement("map", yt[m, n], "=", tp.max(ps[m, n] + bt[m, n], 0), over=[m, n], where=[rows, columns])
            p.statement("store", y[128 * mb + m, 512 * nb + n], "=", yt[m, n], over=[m, n], where=[rows, columns])
        self.assertEqual(str(p), canonical("corpus/tiled/penguin/matmul_bias_relu.tile"))   # 770 million products: too many to run here

    def test_silu_of_dynamic_rows(self):
        p = tp.Program("silu_rows_dynamic")
        s = p.param("s", 1, 40)
        x, y = p.buffer("x", "f32", [2, s, 512], role="in"), p.buffer("y", "f32", [2, s, 512], role="out")
        r, c = tp.axis("r", 16), tp.axis("c", 512)
        with p.par("b", 2) as b, p.seq("ch", (s + 15) // 16) as ch:
            xt, yt = (p.buffer(name, "f32", [16, 512], "vec", valid=[tp.min(16, s - 16 * ch), 512]) for name in ("xt", "yt"))
            clauses = {"over": [r, c], "where": 16 * ch + r < s}
            p.statement("load", xt[r, c], "=", x[b, 16 * ch + r, c], **clauses)
            p.statement("map", yt[r, c], "=", tp.silu(xt[r, c]), **clauses)
            p.statement("store", y[b, 16 * ch + r, c], "=", yt[r, c], **clauses)
        self.expect_same(p, "tiled/pto/silu_rows_dynamic.tile", "real/silu_rows_dynamic.tile")

    def test_gather_on_trn2(self):
        p = tp.Program("gather_indirect", machine="trn2")
        table, index = p.buffer("table", "bf16", [1000, 640], role="in"), p.buffer("index", "i32", [150], role="in", range=(0, 1000))
        y = p.buffer("y", "bf16", [150, 640], role="out")
        q, e, c = tp.axis("p", 128), tp.axis("e", 1), tp.axis("c", 640)
        with p.par("ib", 2) as ib:
            it, yt = p.buffer("it", "i32", [128, 1], "sbuf", bar=1, range=1000), p.buffer("yt", "bf16", [128, 640], "sbuf", bar=1)
            tail = 128 * ib + q < 150
            p.statement("load", it[q, e], "=", index[128 * ib + q], over=[q, e], where=tail)
            p.statement("gather", yt[q, c], "=", table[it[q, 0], c], over=[q, c], where=tail)
            p.statement("store", y[128 * ib + q, c], "=", yt[q, c], over=[q, c], where=tail)
        self.expect_same(p, "tiled/penguin/gather_indirect.tile", "real/gather_rows.tile")

    def test_padded_int8_matmul(self):
        p = tp.Program("int8_padded_k")
        x, w = p.buffer("x", "i8", [64, 100], role="in"), p.buffer("w", "i8", [100, 250], role="in")
        y, xt = p.buffer("y", "i32", [64, 250], role="out"), p.buffer("xt", "i8", [64, 128], "lram")
        m, n, k, kr = tp.axis("m", 64), tp.axis("n", 128), tp.axis("k", 100), tp.axis("k", 64, "reduce")
        whole = tp.axis("k", 128)
        p.statement("memset", xt[m, whole], "=", 3, over=[m, whole])
        p.statement("load", xt[m, k], "=", x[m, k], over=[m, k])
        with p.seq("nb", 2) as nb:
            wt, yt = p.buffer("wt", "i8", [128, 128], "lram"), p.buffer("yt", "i32", [64, 128], "lram")
            p.statement("memset", wt[whole, n], "=", 0, over=[whole, n])
            p.statement("load", wt[k, n], "=", w[k, 128 * nb + n], over=[k, n], where=128 * nb + n < 250)
            with p.seq("kb", 2) as kb:
                p.statement("matmul", yt[m, n], "+=", (xt[m, 64 * kb + kr] - 3) * wt[64 * kb + kr, n], over=[m, n, kr], start=kb == 0)
            p.statement("store", y[m, 128 * nb + n], "=", yt[m, n], over=[m, n], where=128 * nb + n < 250)
        self.expect_same(p, "tiled/torq/int8_padded_k.tile", "real/int8_matmul_zero_point.tile")

    def test_views_over_views(self):
        p = tp.Program("rearrange")
        x, y = p.buffer("x", "f32", [6, 10], role="in"), p.buffer("y", "f32", [2, 6, 4], role="out")
        i, c, j, k, r, q = (tp.axis(name, n) for name, n in (("i", 6), ("c", 8), ("j", 2), ("k", 4), ("r", 12), ("p", 4)))
        part = p.view("slice", [i, c], x[i, c + 1])
        cube = p.view("cube", [i, j, k], part[i, 4 * j + k])
        turned = p.view("turned", [j, k, i], cube[i, j, k])
        rows = p.view("rows", [r, k], y[r // 6, r % 6, k])
        with p.par("b", 3) as b:
            p.statement("copy", rows[4 * b + q, k], "=", turned[(4 * b + q) // 6, k, (4 * b + q) % 6], over=[q, k])
        self.expect_same(p, "odd/views-over-views.tile", "odd/before/rearrange.tile")

    def test_counted_while(self):
        p = tp.Program("power_steps")
        n, x = p.buffer("n", "i32", [1], role="in", range=6), p.buffer("x", "f32", [9], role="in")
        a, c, i = p.buffer("a", "f32", [9], role="inout"), p.buffer("c", "i32", [1], "lram", range=6), tp.axis("i", 9)
        p.statement("memset", c[0], "=", 0)
        with p.while_(c[0] < n[0], max=5):
            p.statement("map", a[i], "=", 2 * a[i] + x[i], over=[i])
            p.statement("map", c[0], "+=", 1)
        self.expect_same(p, "odd/while-with-counter.tile", "odd/before/power_steps.tile")


class Refused(unittest.TestCase):
    """A mistake raises TileError with the line of the caller and what to do."""

    def expect(self, pattern, call):
        with self.assertRaisesRegex(tp.TileError, pattern) as caught:
            call()
        self.assertRegex(str(caught.exception), r"^.*test_tileproof\.py:\d+: ")

    def setUp(self):
        self.p = with_buffers(n="i32")
        self.x, self.y, self.n, self.i = self.p["x"], self.p["y"], self.p["n"], tp.axis("i", 8)

    def test_the_line_is_the_callers(self):
        line = sys._getframe().f_lineno + 1
        self.expect(f"test_tileproof.py:{line}: ", lambda: tp.Program("for"))

    def test_reserved_words(self):
        for word in tp.RESERVED:
            self.expect(f"'{word}' is a word of the language .*'{word}_' would do", lambda: tp.axis(word, 3))
        self.expect("the name of a loop variable", lambda: self.p.par("in", 3))
        self.expect("the name of a buffer", lambda: self.p.buffer("max", "f32", [3]))
        self.expect("the name of a space", lambda: self.p.buffer("t", "f32", [3], "shard"))
        self.expect("the name of an opcode", lambda: self.p.statement("start", self.y[0], "=", 0))
        self.expect("the name of a group", lambda: self.p.group("exp"))
        self.expect("the name of an opaque", lambda: self.p.opaque("sin", ("out", self.n)))
        self.expect("the name of a view", lambda: self.p.view("view", [self.i], self.x[self.i]))
        self.expect("the name of a parameter", lambda: tp.Program("p").param("valid", 1, 2))

    def test_reserved_words_are_those_of_the_language(self):
        page = (root / "docs" / "language.md").read_text()
        listed = page.split("reserved and cannot be names:\n\n```\n")[1].split("```")[0]
        self.assertEqual(set(tp.RESERVED), set(listed.split()))

    def test_names(self):
        for name, mended in (("1st", "_1st"), ("a-b", "a_b"), ("", "_"), ("é", "_"), ("a" * 256, "a" * 255), ("x\n", "x_"), (7, "_7")):
            self.expect(f"'{mended}' would do", lambda: tp.axis(name, 3))
        self.expect("the name of a machine", lambda: tp.Program("p", machine="910b"))
        self.expect("the name of a tag", lambda: tp.Program("p", tags={"a b": 1}))
        self.expect("the value of a tag", lambda: tp.Program("p", tags={"a": 1.5}))

    def test_words_of_closed_sets(self):
        self.expect("dtype 'f23' .*did you mean 'f32'", lambda: self.p.buffer("t", "f23", [3]))
        self.expect("dtype 'half'", lambda: tp.cast("half", self.x[0]))
        self.expect("role 'input'", lambda: self.p.buffer("t", "f32", [3], role="input"))
        self.expect("loop kind 'parallel'", lambda: self.p.loop("b", 3, kind="parallel"))
        self.expect("axis kind 'par'", lambda: tp.axis("i", 3, "par"))
        self.expect("program kind 'main'", lambda: tp.Program("p", kind="main"))
        self.expect("update '-='", lambda: self.p.statement("map", self.y[0], "-=", 1))
        self.expect("did you mean 'x'|take one of", lambda: self.p["xx"])

    def test_names_declared_twice(self):
        self.expect("'x' is visible here", lambda: self.p.buffer("x", "f32", [8]))
        self.expect("axis 'x' of map has the name", lambda: self.p.statement("map", self.y[0], "=", 0, over=[tp.axis("x", 8)]))
        self.expect("axis 'i' of map has the name", lambda: self.p.statement("map", self.y[0], "=", 0, over=[self.i, tp.axis("i", 2)]))
        with self.p.seq("b", 3):
            self.expect("'b' is visible here", lambda: self.p.par("b", 3).__enter__())

    def test_names_that_are_not_visible(self):
        with self.p.seq("b", 3) as b:
            t = self.p.buffer("t", "f32", [3])
        self.expect("map uses b, which is not visible", lambda: self.p.statement("map", self.y[b], "=", 0))
        self.expect("map uses t, which is not visible", lambda: self.p.statement("map", self.y[0], "=", t[0]))
        self.expect("map uses i, .* must be in `over`", lambda: self.p.statement("map", self.y[self.i], "=", 0))
        self.expect("'t' is no buffer that is visible", lambda: self.p.opaque("f", ("out", t)))
        self.expect("belongs to another program", lambda: with_buffers().statement("map", self.y[0], "=", 0))
        k = tp.axis("k", 8, "reduce")
        self.expect("not a reduce axis", lambda: self.p.statement("map", self.y[0], "+=", self.x[k], over=[k], start=k == 0))

    def test_indices(self):
        self.expect("x has 1 dim, and the number of indices is 2", lambda: self.x[0, 1])
        self.expect("a slice is an axis", lambda: self.x[0:4])
        self.expect("x is no expression", lambda: self.x[0] + self.x)
        self.expect("'i' is no expression", lambda: self.x["i"])
        with self.assertRaises(TypeError):
            iter(self.x)

    def test_truth_of_an_expression(self):
        self.expect("is known only when the program runs", lambda: 0 <= self.i < 3)
        self.expect("tileproof.min", lambda: min(self.i, 3))
        self.expect("`&` joins comparisons .*bitand", lambda: self.n[0] & 3)
        self.expect("`~` joins comparisons .*bitnot", lambda: ~self.n[0])
        self.expect("`where` takes comparisons", lambda: self.p.statement("map", self.y[0], "=", 0, where=self.n[0]))
        self.expect("`if` takes comparisons", lambda: self.p.if_((self.i < 3) | (self.i > 4)))

    def test_numbers(self):
        self.expect("its digits must be below 2\\^63", lambda: tp.expr(2**63))
        self.expect("its digits must be below", lambda: tp.expr(Decimal("1e-401")))
        self.expect("None is no expression", lambda: self.x[0] + None)
        self.expect("exp takes 1 operand, and 2", lambda: tp.exp(1, 2))
        self.expect("min takes 2 operands, and 3", lambda: tp.min(1, 2, 3))

    def test_statements(self):
        i, k = self.i, tp.axis("k", 8, "reduce")
        self.expect("x\\[i\\] is none", lambda: self.p.statement("map", self.x[i], "=", 0, over=[i]))
        self.expect("y is none", lambda: self.p.statement("map", self.y, "=", 0))
        self.expect("update that accumulates", lambda: self.p.statement("map", self.y[0], "=", self.x[k], over=[k]))
        self.expect("update that accumulates", lambda: self.p.statement("map", self.y[0], "=", 1, start=True))
        self.expect("takes axes made by axis", lambda: self.p.statement("map", self.y[0], "=", 1, over=["i"]))

    def test_buffers_and_views(self):
        p, i = self.p, self.i
        self.expect("`bar` is the number of dims", lambda: p.buffer("t", "f32", [3], bar=1))
        self.expect("`valid` of t needs one range for each of its 2 dims", lambda: p.buffer("t", "f32", [3, 4], valid=[3]))
        self.expect("the base of a view is an element", lambda: p.view("v", [i], self.x))
        self.expect("of no kind", lambda: p.view("v", [tp.axis("k", 8, "reduce")], self.x[0]))
        with p.seq("b", 2):
            self.expect("stands in a block", lambda: p.buffer("t", "f32", [3], role="in"))

    def test_items(self):
        p = self.p
        self.expect("comes too late", lambda: p.param("m", 1, 2))
        self.expect("has one bound or two", lambda: p.seq("b", 1, 2, 3))
        self.expect("stands right behind an `if_`", p.else_)
        self.expect("one source for each", lambda: p.move([self.y], []))
        self.expect("no `out` or `inout`", lambda: p.opaque("f", ("in", self.x)))
        v = p.view("v", [self.i], self.y[self.i])
        self.expect("'v' is no buffer", lambda: p.move([v], [self.x]))

    def test_open_blocks(self):
        block = self.p.seq("b", 3)
        block.__enter__()
        self.expect("is still open", lambda: str(self.p))


class ReadBack(unittest.TestCase):
    """`read` takes canonical text apart, and gives the same text back."""

    def test_text_that_is_not_canonical(self):
        with self.assertRaisesRegex(tp.TileError, "compile the file first"):
            tp.read("tile 1\nprogram p {\n  load   t[k]=x[k] over k:4\n}\n")

    def test_all_programs_of_the_corpus(self):
        files = sorted((root / "corpus").rglob("*.tile"))
        self.assertGreater(len(files), 100)
        statements = 0
        for file in files:
            with self.subTest(file=file.name):
                text = canonical(file.relative_to(root))
                programs = tp.read(text)
                self.assertEqual("\n".join(map(str, programs)), text)
                statements += sum(len(p.statements()) for p in programs)
                self.assertEqual(sum(len(p.buffers()) for p in programs), len(re.findall("^ *buffer ", text, re.MULTILINE)))
        self.assertGreater(statements, 1000)

    def test_the_parts_of_a_buffer(self):
        (program,) = tp.read("""tile 1
program p {
  param n : 1..9
  buffer x {k=1} : bf16[n + 1, 8] dram in
  for b in 0..3 par {
    buffer t : f32[4 | 2, min(n, 8)] sbuf at 0:64 valid [4, 1..2, n] range -8..9
  }
}
""")
        x, t = program.buffers()
        self.assertIs(x, program.items[1])
        self.assertEqual((x.name, x.dtype, x.extents, x.bar, x.space, x.role), ("x", "bf16", ["n + 1", "8"], None, "dram", "in"))
        self.assertEqual((x.tags, x.rest), ("{k=1}", ""))
        self.assertEqual((t.name, t.dtype, t.extents, t.bar, t.space, t.role), ("t", "f32", ["4", "2", "min(n, 8)"], 1, "sbuf", ""))
        self.assertEqual(t.rest, "at 0:64 valid [4, 1..2, n] range -8..9")
        t.space, t.rest = "psum", ""
        self.assertEqual(str(t), "buffer t : f32[4 | 2, min(n, 8)] psum")
        with self.assertRaisesRegex(tp.TileError, "is no buffer as"):
            tp.read("tile 1\nprogram p {\n  buffer x:f32[4] dram\n}\n")

    def test_the_parts_of_a_statement(self):
        (s,) = tp.read("""tile 1
program p {
  buffer x : f32[8, 8] dram in
  reduce {k=[1, 2]} y[2*i + 1, min(i, j)] max= x[i, j] + acc over i:8 {P ag=3}, j:n - 1 reduce where (i < 3 or j == 0) == 1 and i < 7
         start i == 0 and acc < 2 acc f32 clobbers t, u
}
""")[0].statements()
        self.assertEqual((s.opcode, s.tags, s.destination, s.indices), ("reduce", " {k=[1, 2]}", "y", ["2*i + 1", "min(i, j)"]))
        self.assertEqual((s.update, s.value, s.where), ("max=", "x[i, j] + acc", ["(i < 3 or j == 0) == 1", "i < 7"]))
        self.assertEqual([vars(a) for a in s.axes], [{"name": "i", "extent": "8", "kind": "parallel", "tags": "{P ag=3}"},
                                                     {"name": "j", "extent": "n - 1", "kind": "reduce", "tags": ""}])
        self.assertEqual(s.clauses, {"start": "i == 0 and acc < 2", "acc": "f32", "clobbers": "t, u"})

    def test_a_tiler(self):
        def tiled(text, size):
            (program,) = tp.read(text)
            for n, s in enumerate(program.items):
                if not isinstance(s, tp.Statement) or s.opcode != "map" or not s.axes or not s.axes[0].extent.isdigit():
                    continue
                axis = s.axes[0]
                extent, block = int(axis.extent), axis.name + "_block"
                s.substitute({axis.name: f"{size}*{block} + {axis.name}"})
                s.where.append(f"{size}*{block} + {axis.name} < {extent}")
                axis.extent = str(size)
                program.items[n] = tp.Block(f"for {block} in 0..{-(-extent // size)} par", [s])
            return str(program)

        for name in ("exp_add_2x3x4", "nest_siblings", "add_256x1024"):
            before = canonical(f"corpus/real/{name}.tile")
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "before.tile").write_text(before)
                (Path(folder) / "after.tile").write_text(tiled(before, 3))
                result = tp.check(Path(folder) / "before.tile", Path(folder) / "after.tile", tool=tool)
            self.assertEqual(result.verdict, "tested", str(result))


class Checked(unittest.TestCase):
    """`check` returns what the tool says."""

    def total(self, step, machine=None):
        p, k = tp.Program("total", machine=machine), tp.axis("k", step, "reduce")
        x, y = p.buffer("x", "f32", [10], role="in"), p.buffer("y", "f32", [1], role="out")
        with p.seq("b", -(-10 // step)) as b:
            p.statement("reduce", y[0], "+=", x[step * b + k], over=[k], where=step * b + k < 10, start=b == 0)
        return p

    def test_a_pass(self):
        result = tp.check(self.total(10), self.total(4), tool=tool, seed=3)
        self.assertTrue(result)
        self.assertEqual((result.verdict, result.exit, result.tier, result.findings), ("tested", 0, "field", []))
        self.assertEqual((str(result), result.record["seed"]), ("tested: field", 3))

    def test_a_refutation(self):
        wrong = tp.Program("total")
        x, y, k = wrong.buffer("x", "f32", [10], role="in"), wrong.buffer("y", "f32", [1], role="out"), tp.axis("k", 9, "reduce")
        wrong.statement("reduce", y[0], "+=", x[k], over=[k], start=True)
        result = tp.check(self.total(10), wrong, tool=tool)
        self.assertFalse(result)
        self.assertEqual((result.verdict, result.exit, result.findings[0]["id"]), ("refuted", 1, "TP001"))
        self.assertEqual(result.difference["missing"], ["x[9]"])
        self.assertIn("value (TP001) in reduce#1 on y[0]: the outputs differ", str(result))

    def test_the_machine(self):
        result = tp.check(self.total(10), self.total(4), machine="trn2", tool=tool)
        self.assertEqual((result.verdict, result.record["machine"]), ("refuted", "trn2"))

    def test_bad_input_and_bad_originals_are_told_apart(self):
        missing = tp.check("no such file", self.total(4), tool=tool)
        self.assertEqual((missing.verdict, missing.exit), ("bad-input", 2))
        self.assertIn("no such file", str(missing))
        unwritten = tp.Program("total")
        unwritten.buffer("x", "f32", [10], role="in"), unwritten.buffer("y", "f32", [1], role="out")
        bad = tp.check(unwritten, self.total(4), tool=tool)
        self.assertEqual((bad.verdict, bad.exit, bad.findings[0]["name"]), ("bad-original", 2, "not-written"))

    def test_relaxed_rounding(self):
        def twice(narrow):
            p, i = tp.Program("twice"), tp.axis("i", 4)
            x, y = p.buffer("x", "f32", [4], role="in"), p.buffer("y", "f32", [4], role="out")
            t = p.buffer("t", "bf16" if narrow else "f32", [4])
            p.statement("map", t[i], "=", tp.exp(x[i]), over=[i])
            p.statement("map", y[i], "=", t[i] * t[i], over=[i])
            return p
        self.assertEqual(tp.check(twice(False), twice(True), tool=tool).findings[0]["name"], "rounding-only")
        relaxed = tp.check(twice(False), twice(True), rounding="relaxed", tool=tool)
        self.assertEqual((relaxed.verdict, relaxed.record["counted"]["elements that round differently"]), ("tested", 4))

    def test_the_folder_keeps_what_was_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            result = tp.check(self.total(10), self.total(4), folder=Path(folder) / "dump", tool=tool)
            self.assertEqual((Path(folder) / "dump" / "after.tile").read_text(), str(self.total(4)))
            self.assertIn("dump/before.tile", result.record["replay"])

    def test_a_tool_that_is_missing_or_says_nothing(self):
        with self.assertRaises(FileNotFoundError):
            tp.check(self.total(10), self.total(4), tool="/no/such/tool")
        with self.assertRaisesRegex(RuntimeError, "ended with 1 and no record"):
            tp.check(self.total(10), self.total(4), tool="false")


class Pages(unittest.TestCase):
    """What docs/importing.md and README.md show is what happens."""

    def blocks(self, page, pattern):
        return re.findall(pattern, (root / page).read_text(), re.DOTALL)

    def test_pairs_of_programs(self):
        found = self.blocks("docs/importing.md", r"```tile\n(.*?)```\n\n```\n(.*?)\n```")
        self.assertEqual(len(found), 3)
        for text, said in found:
            done = subprocess.run([tool, "check", "-"], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.stdout.splitlines()[0], said, text)
        racing = found[0][0].replace("in 0..4 seq", "in 0..4 par")
        done = subprocess.run([tool, "check", "-"], input=racing, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout.splitlines()[0], "refuted: race (TP105)")

    def test_the_toy_tiler(self):
        (text,) = self.blocks("docs/importing.md", r"```python\n(.*?)```")
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "PYTHONPATH": str(root / "tool" / "python"), "TILEPROOF": tool}
            done = subprocess.run([sys.executable, "-c", text], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
        self.assertTrue(done.stdout.startswith("refuted\nvalue (TP001) in store#1 on c[0, 0]: the outputs differ\n"), done.stdout)
        self.assertIn("'a[0, 64..89]'", done.stdout)
        self.assertTrue(done.stdout.endswith("\ntested: field\n"), done.stdout)

    def test_the_mended_program_of_the_readme(self):
        before, after, mended = self.blocks("README.md", r"```\n(tile 1\nprogram total.*?)```")
        for text, verdict in ((after, "refuted: value (TP001)"), (mended, "tested: field")):
            done = subprocess.run([tool, "check", "-"], input=before + text.replace("total", "tiled"), stdout=subprocess.PIPE, text=True)
            self.assertEqual(done.stdout.splitlines()[0], verdict)


if __name__ == "__main__":
    unittest.main()
