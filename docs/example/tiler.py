"""A tiler in a few lines, with a mistake in it: docs/fuzzing.md goes through it.

Reads a program on standard input and writes the tiled one to standard output; with --batch it takes many, each followed by `# end`.
"""
import re
import sys

TILE = 8


def tiled_map(statement):
    """`map y[i] = x[i] over i:20` as a loop over tiles of the first axis."""
    head, _, axes = statement.partition(" over ")
    axis = re.match(r"(\w+):(\d+)", axes)
    if axis is None or int(axis[2]) <= TILE:
        return statement
    name, extent = axis[1], int(axis[2])
    index = f"({TILE}*{name}_tile + {name})"
    head = re.sub(rf"\b{name}\b", index, head)
    axes = f"{name}:{TILE}" + axes[axis.end():]
    trips = extent // TILE
    return f"for {name}_tile in 0..{trips} par {{ {head} over {axes} where {index} < {extent} }}"


def tiled(text):
    lines = []
    for line in re.sub(r"\n +(?=over |where |start)", " ", text).splitlines():    # long statements stand on several lines
        opcode = line.split()[0]
        if opcode not in ("tile", "program", "buffer", "map", "}"):
            return f"# refused: {opcode}"
        lines.append(tiled_map(line) if opcode == "map" else line)
    return "\n".join(lines)


if "--batch" in sys.argv:
    program = ""
    for line in sys.stdin:
        if line == "# end\n":
            print(tiled(program), "# end", sep="\n", flush=True)
            program = ""
        else:
            program += line
else:
    print(tiled(sys.stdin.read()))
