"""Writes corpus/speed: the small pairs that `ci/bench` counts checks a second over. Run from the root of the repository.

plain/    200 pairs of what tilers do most: maps, matmuls, sums, windows, transposes, bias, flattened tiles, distributed nests
ordered/  100 pairs in which each statement computes a max or an exp

Original and tiled program together have 800 points on average.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tool" / "python"))
import tileproof as tp  # noqa: E402

axis = tp.axis


def cut(extent, tile):
    return -(-extent // tile)


def begin(name, *buffers):
    """A program with (name, dtype, shape, role) buffers in DRAM."""
    program = tp.Program(name)
    return (program, *(program.buffer(n, dtype, shape, role=role) for n, dtype, shape, role in buffers))


def both(*buffers):
    return begin("original", *buffers), begin("tiled", *buffers)


def elementwise(rows, columns, p, f):
    (a, x, y), (b, u, v) = both(("x", "f32", [rows, columns], "in"), ("y", "bf16", [rows, columns], "out"))
    i, j = axis("i", rows), axis("j", columns)
    a.statement("map", y[i, j], "=", 2 * x[i, j] + 1, over=[i, j])
    i, j = axis("i", p), axis("j", f)
    with b.par("ib", cut(rows, p)) as ib, b.par("jb", cut(columns, f)) as jb:
        inside = [p * ib + i < rows, f * jb + j < columns]
        t = b.buffer("t", "f32", [p, f], "sbuf", bar=1)
        r = b.buffer("r", "bf16", [p, f], "sbuf", bar=1)
        b.statement("load", t[i, j], "=", u[p * ib + i, f * jb + j], over=[i, j], where=inside)
        b.statement("map", r[i, j], "=", 2 * t[i, j] + 1, over=[i, j], where=inside)
        b.statement("store", v[p * ib + i, f * jb + j], "=", r[i, j], over=[i, j], where=inside)
    return a, b


def matmul(m, n, k, tm, tn, tk):
    (a, x, w, y), (b, u, s, v) = both(("x", "bf16", [m, k], "in"), ("w", "bf16", [k, n], "in"), ("y", "bf16", [m, n], "out"))
    z = a.buffer("z", "f32", [m, n])
    i, j, l = axis("i", m), axis("j", n), axis("l", k, "reduce")
    a.statement("matmul", z[i, j], "+=", x[i, l] * w[l, j], over=[i, j, l], start=True)
    a.statement("map", y[i, j], "=", z[i, j], over=[i, j])
    i, j, l, r = axis("i", tm), axis("j", tn), axis("l", tk), axis("l", tk, "reduce")
    with b.par("ib", cut(m, tm)) as ib, b.par("jb", cut(n, tn)) as jb:
        acc = b.buffer("acc", "f32", [tm, tn], "psum", bar=1)
        row, column = tm * ib + i < m, tn * jb + j < n
        with b.seq("kb", cut(k, tk)) as kb:
            xt, wt = b.buffer("xt", "bf16", [tk, tm], "sbuf", bar=1), b.buffer("wt", "bf16", [tk, tn], "sbuf", bar=1)
            deep = tk * kb + l < k
            b.statement("load", xt[l, i], "=", u[tm * ib + i, tk * kb + l], over=[l, i], where=[row, deep])
            b.statement("load", wt[l, j], "=", s[tk * kb + l, tn * jb + j], over=[l, j], where=[column, deep])
            b.statement("matmul", acc[i, j], "+=", xt[r, i] * wt[r, j], over=[i, j, r],
                        where=[row, column, tk * kb + r < k], start=kb == 0)
        b.statement("store", v[tm * ib + i, tn * jb + j], "=", acc[i, j], over=[i, j], where=[row, column])
    return a, b


def partial_sums(rows, k, tile):
    (a, x, y), (b, u, v) = both(("x", "f32", [rows, k], "in"), ("y", "f32", [rows], "out"))
    i, l = axis("i", rows), axis("l", k, "reduce")
    a.statement("reduce", y[i], "+=", x[i, l], over=[i, l], start=True)
    parts = cut(k, tile)
    part = b.buffer("part", "f32", [rows, parts], "lram")
    i, l, q = axis("i", rows), axis("l", tile, "reduce"), axis("q", parts, "reduce")
    with b.seq("r", parts) as r:
        b.statement("reduce", part[i, r], "+=", u[i, tile * r + l], over=[i, l], where=tile * r + l < k, start=True)
    b.statement("reduce", v[i], "+=", part[i, q], over=[i, q], start=True)
    return a, b


def window(n, width, tile):
    out = n - width + 1
    (a, x, w, y), (b, u, s, v) = both(("x", "f32", [n], "in"), ("w", "f32", [width], "in"), ("y", "f32", [out], "out"))
    i, l = axis("i", out), axis("l", width, "reduce")
    a.statement("conv", y[i], "+=", x[i + l] * w[l], over=[i, l], start=True)
    i, h = axis("i", tile), axis("h", tile + width - 1)
    with b.par("ib", cut(out, tile)) as ib:
        t = b.buffer("t", "f32", [tile + width - 1], "sbuf")
        o = b.buffer("o", "f32", [tile], "sbuf")
        b.statement("load", t[h], "=", u[tile * ib + h], over=[h], where=tile * ib + h < n)
        b.statement("conv", o[i], "+=", t[i + l] * s[l], over=[i, l], where=tile * ib + i < out, start=True)
        b.statement("store", v[tile * ib + i], "=", o[i], over=[i], where=tile * ib + i < out)
    return a, b


def transpose(rows, columns, p, f):
    (a, x, y), (b, u, v) = both(("x", "bf16", [rows, columns], "in"), ("y", "bf16", [columns, rows], "out"))
    i, j = axis("i", rows), axis("j", columns)
    a.statement("copy", y[j, i], "=", x[i, j], over=[i, j])
    i, j = axis("i", p), axis("j", f)
    with b.par("ib", cut(rows, p)) as ib, b.par("jb", cut(columns, f)) as jb:
        inside = [p * ib + i < rows, f * jb + j < columns]
        t = b.buffer("t", "bf16", [p, f], "sbuf", bar=1)
        r = b.buffer("r", "bf16", [f, p], "psum", bar=1)
        b.statement("load", t[i, j], "=", u[p * ib + i, f * jb + j], over=[i, j], where=inside)
        b.statement("transpose", r[j, i], "=", t[i, j], over=[i, j], where=inside)
        b.statement("store", v[f * jb + j, p * ib + i], "=", r[j, i], over=[j, i], where=inside)
    return a, b


def bias(rows, columns, p):
    (a, x, c, y), (b, u, d, v) = both(("x", "f32", [rows, columns], "in"), ("c", "f32", [columns], "in"),
                                      ("y", "f32", [rows, columns], "out"))
    i, j = axis("i", rows), axis("j", columns)
    a.statement("map", y[i, j], "=", x[i, j] * x[i, j] + c[j], over=[i, j])
    i = axis("i", p)
    t = b.buffer("t", "f32", [1, columns], "sbuf", bar=1)
    b.statement("load", t[0, j], "=", d[j], over=[j])
    with b.par("ib", cut(rows, p)) as ib:
        b.statement("map", v[p * ib + i, j], "=", u[p * ib + i, j] * u[p * ib + i, j] + t[0, j], over=[i, j],
                    where=p * ib + i < rows)
    return a, b


def flattened(outer, middle, inner, rows):
    (a, x, y), (b, u, v) = both(("x", "f32", [outer, middle, inner], "in"), ("y", "f32", [outer, middle, inner], "out"))
    i, j, l = axis("i", outer), axis("j", middle), axis("l", inner)
    a.statement("map", y[i, j, l] , "=", x[i, j, l] - 3 * x[i, j, l] * x[i, j, l], over=[i, j, l])
    total = outer * middle
    f, g, r, c = axis("f", total), axis("g", inner), axis("r", rows), axis("c", inner)
    flat_in = b.view("xf", [f, g], u[f // middle, f % middle, g])
    flat_out = b.view("yf", [f, g], v[f // middle, f % middle, g])
    with b.seq("k", cut(total, rows)) as k:
        t = b.buffer("t", "f32", [rows, inner], "vec")
        b.statement("load", t[r, c], "=", flat_in[rows * k + r, c], over=[r, c], where=rows * k + r < total)
        b.statement("map", t[r, c], "=", t[r, c] - 3 * t[r, c] * t[r, c], over=[r, c], where=rows * k + r < total)
        b.statement("store", flat_out[rows * k + r, c], "=", t[r, c], over=[r, c], where=rows * k + r < total)
    return a, b


def distributed(rows, columns, tile):
    (a, x, y, z), (b, u, v, w) = both(("x", "i32", [rows, columns], "in"), ("y", "i32", [rows, columns], "out"),
                                      ("z", "i32", [rows], "out"))
    j, l = axis("j", columns), axis("l", columns, "reduce")
    with a.seq("i", rows) as i:
        a.statement("map", y[i, j], "=", x[i, j] * 5, over=[j])
        a.statement("reduce", z[i], "+=", y[i, l], over=[l], start=True)
    i, r = axis("i", tile), axis("r", rows)
    with b.seq("ib", cut(rows, tile)) as ib:
        b.statement("map", v[tile * ib + i, j], "=", u[tile * ib + i, j] * 5, over=[i, j], where=tile * ib + i < rows)
    b.statement("reduce", w[r], "+=", v[r, l], over=[r, l], start=True)
    return a, b


def relu(rows, columns, p, f):
    (a, x, y), (b, u, v) = both(("x", "f32", [rows, columns], "in"), ("y", "f32", [rows, columns], "out"))
    i, j = axis("i", rows), axis("j", columns)
    a.statement("map", y[i, j], "=", tp.max(x[i, j], 0), over=[i, j])
    i, j = axis("i", p), axis("j", f)
    with b.par("ib", cut(rows, p)) as ib, b.par("jb", cut(columns, f)) as jb:
        b.statement("map", v[p * ib + i, f * jb + j], "=", tp.max(u[p * ib + i, f * jb + j], 0), over=[i, j],
                    where=[p * ib + i < rows, f * jb + j < columns])
    return a, b


def largest(rows, k, tile):
    (a, x, y), (b, u, v) = both(("x", "bf16", [rows, k], "in"), ("y", "bf16", [rows], "out"))
    i, l = axis("i", rows), axis("l", k, "reduce")
    a.statement("reduce", y[i], "max=", x[i, l], over=[i, l], start=True)
    parts = cut(k, tile)
    part = b.buffer("part", "bf16", [rows, parts], "lram")
    l, q = axis("l", tile, "reduce"), axis("q", parts, "reduce")
    with b.par("r", parts) as r:
        b.statement("reduce", part[i, r], "max=", u[i, tile * r + l], over=[i, l], where=tile * r + l < k, start=True)
    b.statement("reduce", v[i], "max=", part[i, q], over=[i, q], start=True)
    return a, b


def exponents(rows, columns, p):
    (a, x, y), (b, u, v) = both(("x", "f32", [rows, columns], "in"), ("y", "f32", [rows], "out"))
    i, l = axis("i", rows), axis("l", columns, "reduce")
    a.statement("reduce", y[i], "+=", tp.exp(x[i, l]), over=[i, l], start=True)
    i = axis("i", p)
    with b.seq("ib", cut(rows, p)) as ib:
        b.statement("reduce", v[p * ib + i], "+=", tp.exp(u[p * ib + i, l]), over=[i, l], where=p * ib + i < rows, start=True)
    return a, b


def pooled(n, width, stride, tile):
    out = (n - width) // stride + 1
    (a, x, y), (b, u, v) = both(("x", "i8", [n], "in"), ("y", "i8", [out], "out"))
    i, l = axis("i", out), axis("l", width, "reduce")
    a.statement("pool", y[i], "max=", x[stride * i + l], over=[i, l], start=True)
    i = axis("i", tile)
    with b.par("ib", cut(out, tile)) as ib:
        b.statement("pool", v[tile * ib + i], "max=", u[stride * (tile * ib + i) + l], over=[i, l], where=tile * ib + i < out,
                    start=True)
    return a, b


def write(folder, family, number, programs):
    text = f"# source: props/bench/speed_pairs.py, {family.__name__}\n# expect tested field\n\n" + "\n".join(map(str, programs))
    path = Path("corpus/speed") / folder / f"{number:03}_{family.__name__}.tile"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    plain = []
    for n in range(25):
        plain += [(elementwise, (4 + n % 5, 18 + 2 * n, 4, 12 + n)), (matmul, (6 + n % 4, 5 + n % 3, 4 + n % 4, 4, 3, 3)),
                  (partial_sums, (2 + n % 4, 50 + 4 * n, 16 + n)), (window, (60 + 2 * n, 3 + n % 3, 12 + n)),
                  (transpose, (7 + n % 6, 13 + n, 8, 9)), (bias, (6 + n % 4, 20 + 2 * n, 4)),
                  (flattened, (3, 3 + n % 3, 5 + n, 5)), (distributed, (5 + n % 5, 16 + n, 4))]
    for number, (family, shape) in enumerate(plain, 1):
        write("plain", family, number, family(*shape))
    ordered = []
    for n in range(25):
        ordered += [(relu, (9 + n % 5, 26 + n, 4, 16)), (largest, (5 + n % 5, 40 + 2 * n, 16)),
                    (exponents, (8 + n % 5, 32 + n, 4)), (pooled, (120 + 5 * n, 3, 1 + n % 2, 32))]
    for number, (family, shape) in enumerate(ordered, 1):
        write("ordered", family, number, family(*shape))


if __name__ == "__main__":
    main()
