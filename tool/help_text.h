// What --help teaches beside the list of options.
#pragma once

#include <string_view>
#include <utility>

namespace tileproof::tool::help {

inline constexpr std::string_view exit_codes = R"(Exit codes:
  0  passes: proved, tested (or done, for commands that judge nothing)
  1  refuted: the programs differ, or the second is not legal on its machine
  2  bad input or usage, an original without a single meaning, or a result that cannot be written
     (replay: a file that cannot be read or parsed, whatever the others give; its 1 is any verdict that was not expected)
  3  unsupported (the oracle cannot decide), or a limit that you set was reached
  4  harness error: the oracle contradicts itself, which is a bug of ours
)";

/// By the name of the command.
inline constexpr std::pair<std::string_view, std::string_view> usages[] = {
    {"tileproof", "Usage: tileproof COMMAND ...\n"},
    {"verify", "Usage: tileproof verify FILE... --pipeline NAMES [OPTIONS]\n"},
    {"check", "Usage: tileproof check BEFORE AFTER [OPTIONS]\n       tileproof check PAIR [OPTIONS]\n"},
    {"run", "Usage: tileproof run FILE [OPTIONS]\n"},
    {"replay", "Usage: tileproof replay [FOLDER|FILE...] [OPTIONS]\n"},
    {"compile", "Usage: tileproof compile FILE [OPTIONS]\n"},
    {"groups", "Usage: tileproof groups FILE --machine NAME [OPTIONS]\n"},
    {"cut",
     "Usage: tileproof cut --shape N,N,... --cut-size N [OPTIONS]\n"
     "       tileproof cut --shape N,N,... --machine NAME [OPTIONS]\n"},
    {"reduce",
     "Usage: tileproof reduce BEFORE AFTER [OPTIONS]\n"
     "       tileproof reduce PAIR [OPTIONS]\n"
     "       tileproof reduce PROGRAM --pipeline NAMES [OPTIONS]\n"
     "       tileproof reduce PROGRAM --pass-command COMMAND [OPTIONS]\n"},
    {"prove", "Usage: tileproof prove [LEMMA|TOPIC...] [OPTIONS]\n"},
    {"plant", "Usage: tileproof plant [BUG...] [OPTIONS]\n"},
    {"fuzz",
     "Usage: tileproof fuzz --pass-command COMMAND [OPTIONS] [FOLDER|FILE...]\n"
     "       tileproof fuzz --pipeline NAMES [OPTIONS] [FOLDER|FILE...]\n"},
};

inline constexpr std::string_view program = R"(
Write the program before your tiler and the program after it as two `.tile` files; Tileproof runs both and tells whether
they mean the same, and whether the second is legal on its machine.

Try:
  tileproof check corpus/real/matmul_bias_relu.tile AFTER --machine trn2
  tileproof run corpus/real/cumsum_64x5000.tile
  tileproof replay corpus/odd
  tileproof cut --shape 448,16 --cut-size 512
  tileproof COMMAND --help

A dash as a file is standard input. Errors read `file:line:column: error: what; what to do about it`.
docs/language.md is the language, docs/machines.md the machines, docs/findings/ has a page for each finding.

)";

inline constexpr std::string_view check = R"(
The first program says what is meant. Both must have the same `in`, `out` and `inout` buffers and the same parameters.
Machine limits are judged for the second program only, and only if it names a machine (`program NAME machine trn2 {`) or
--machine is given.

Try:
  tileproof check before.tile after.tile                        same meaning?
  tileproof check before.tile after.tile --machine trn2         ... and legal on trn2?
  tileproof check before.tile after.tile --machine my.machine   ... on a machine of your own
  tileproof check both.tile                                     one file, the original first
  my-tiler before.tile | tileproof check before.tile -          straight from a tiler
  tileproof check before.tile after.tile --rounding=relaxed     let a rounding at another place pass, and count it
  tileproof check before.tile after.tile --explain              pictures of tiles, elements and inputs (docs/explain.md)
  tileproof check before.tile after.tile --format json          one record (docs/record.md)
  tileproof check before.tile after.tile --format sarif         for a code scanning service (docs/ci.md)

)";

inline constexpr std::string_view run = R"(
Prints the first elements of each output, a digest of all of them, and what was found on the way (races, reads of undefined
values, accesses out of bounds, ...). It exits with 1 if something was found.

Domains: `ieee` computes with the dtypes and roundings of the program, `real` with doubles that are rounded nowhere, `field`
with exact numbers modulo 2^61 - 1, in which two programs are compared.

Try:
  tileproof run program.tile
  tileproof run program.tile --param n=5 --param m=2 --seed 7
  tileproof run program.tile --show x --show t                  also the input x, and the buffer t as it is in the end
  tileproof run program.tile --domain field --order shuffled    the same digest as forward, unless the order matters

)";

inline constexpr std::string_view replay = R"(
Replays stored pairs against what their first lines expect, in a table. Folders are searched for `.tile` files.

  # before ../../real/matmul.tile    the original, beside this file; without it the file holds both programs
  # pipeline NAME{OPTION=VALUE}      the passes that are to tile the program, which stands alone in the file
  # machine trn2                     judge the limits of this machine
  # expect race store#1 y            a finding, its statement and its buffer (`-`: none)
  # expect tested lattice            or a verdict, with its tier or finding if that matters

Without `# expect` the check must pass. Files in folders called `real` and `before` are originals and are not replayed by
themselves.

Try:
  tileproof replay                                  all of corpus/
  tileproof replay corpus/tiled corpus/odd --jobs 2
  tileproof replay my-finds/stale_tile.tile
  tileproof replay my-finds --format junit          a test case for each file (docs/ci.md)

)";

inline constexpr std::string_view verify = R"(
Applies the passes of a pipeline to each program, checks what they made so far against the program after every pass, and in the
end whether it is legal on the machine. A verdict that is no pass names the pass after which it came.

Try:
  tileproof verify corpus/real/*.tile --pipeline NAME --machine trn2
  tileproof verify program.tile --pipeline 'NAME{OPTION=VALUE}'
  tileproof verify program.tile --pipeline NAME --print-after-all
  tileproof verify program.tile                       no pass: has the program a meaning, and is it legal as it is?

A pass that refuses a program makes it unsupported (3); one that makes an ill-formed program is refuted (1). Of several
programs the gravest gives the exit code: 4, then 1, then 2, then 3. docs/pipelines.md says more.

)";

inline constexpr std::string_view compile = R"(
Applies the passes of a pipeline and prints the programs in canonical form: the same program always gives the same text.
Nothing is checked but that each pass makes a well-formed program; `verify` checks what it means.

Try:
  tileproof compile program.tile                                      as it is, in canonical form
  tileproof compile program.tile --pipeline NAME --machine trn2 -o tiled.tile    written whole or not at all
  tileproof compile program.tile --pipeline NAME --print-after-all

A pass that refuses a program makes it unsupported (3).

)";

inline constexpr std::string_view groups = R"(
Statements whose tiles lie on the partitions in the same way are a partition group. A matmul or a transpose is in two: it reads
in one layout (there it is a sink) and writes in another (there it is a source). docs/penguin.md explains the analysis.

Try:
  tileproof groups corpus/real/attention_softmax.tile --machine trn2
  tileproof groups program.tile --machine trn2 --pipeline par-axes-annotation,p-compute-cutting    after the partition cut
  tileproof groups program.tile --machine trn2 --format json                                       one record (docs/record.md)

)";

inline constexpr std::string_view cut = R"(
Cuts a list of extents so that a tile holds no more elements than the cut size. The axis of highest priority is first: the
longest part of the list that fits stays whole in the tile, as many slices of the next axis as fit go with it, and the rest
loops. docs/cut.md explains the rules with pictures.

Try:
  tileproof cut --shape 448,16 --cut-size 512                      one slice fits: 448 stays whole, 16 loops
  tileproof cut --shape 16,8192 --cut-size 512 --names p,f         32 of f in a tile
  tileproof cut --shape 3200 --cut-size 512 --uniform              no ragged last tile
  tileproof cut --shape 3,100 --cut-size 128 --multiple 32         a multiple of 32 elements in a tile
  tileproof cut --shape 300,5 --machine trn2 --axes partition      128 partitions, and a multiple of 32
  tileproof cut --shape 12800 --cut-size 128 --swap                the tile takes the high-order factor
  tileproof cut --shape 300,7 --cut-size 128 --format json         one record (docs/record.md)

)";

inline constexpr std::string_view reduce = R"(
Makes a pair that is refuted or undecided smaller, while the check still says the same: the verdict, the finding, the opcode of its
statement and the role of its buffer. With a tiler it makes a program smaller, with the options of the pipeline, while the tiler goes
wrong in the same way. What comes out is a file that `tileproof replay` takes (docs/reducing.md).

It exits with 0 if nothing can be dropped any more, and with 3 if --tests, --timeout or a signal ended it: then the best find so far
is written.

Try:
  tileproof reduce before.tile after.tile                  the smaller pair, on standard output
  tileproof reduce before.tile after.tile -o small.tile    written whole or not at all
  tileproof reduce both.tile --machine trn2 --timeout 30   what has been reached after half a minute
  tileproof reduce program.tile --pipeline NAME --machine trn2 -o small.tile
  tileproof reduce program.tile --pass-command 'python3 my_tiler.py'

)";

inline constexpr std::string_view prove = R"(
The arithmetic of cutting as a catalogue of lemmas over unbounded integers, each proved by a solver (Z3) in a process of its own.
Some claims are in it because they are false: they must be refuted, and their counterexamples are printed. A lemma is named, or
all lemmas of a topic (the word before the dot). docs/proofs.md says what is proved and how it is tied to the code.

It exits with 1 if a lemma is refuted or a false claim is proved, with 3 if a proof ran out of time, and with 4 if one broke down.

Try:
  tileproof prove                        all of them, in under a minute
  tileproof prove cut tail               the topics `cut` and `tail`
  tileproof prove --list                 what they say
  tileproof prove seed.compute-cut       a counterexample
  tileproof prove --format json          an array with an entry for each lemma (docs/record.md)

)";

inline constexpr std::string_view fuzz = R"(
Draws small programs with ragged shapes, gives each to a tiler, checks what it made, and keeps one find of each kind, made
smaller, as a file that `check`, `replay` and this command take. Case number i of a seed is the same program on every machine.

Your own tiler is a command: it reads a program on standard input, writes the tiled program on standard output and exits with
0, or with 3 if it does not support the program. With --batch one process takes many programs, each followed by the line `# end`.
docs/fuzzing.md goes through one.

Try:
  tileproof fuzz --pass-command 'python3 my_tiler.py' --time 10
  tileproof fuzz --pass-command './my-tiler --batch' --batch --machine trn2 --runs 100K
  tileproof fuzz --pass-command 'python3 my_tiler.py' finds/value-map.seed1.tile       the same program again
  tileproof fuzz --pass-command 'python3 my_tiler.py' finds                            all finds again
  tileproof fuzz --pass-command 'python3 my_tiler.py' --only map,reduce --max-operations 2
  tileproof fuzz --pass-command 'python3 my_tiler.py' --known known.txt                fail on new finds only

)";

inline constexpr std::string_view plant = R"(
Tiles generated programs by tilers that have one bug each, and says which bugs the check finds, after how many programs, and which is
the cheapest oracle that sees them; then tiles programs by the right tiler, and counts false alarms. The wrong tilers are a program of
their own, tileproof-plant, beside this one. docs/planting.md explains the table.

It exits with 1 if a bug is missed or the right tiler raises an alarm, and with 4 if the oracle contradicted itself.

Try:
  tileproof plant                                      all bugs, five hunts each
  tileproof plant --list                               what they are, and what they model
  tileproof plant no-tail-on-stores --programs 0       one bug, without the right tiler
  tileproof plant no-tail-on-stores --show             ... and the smallest program that showed it
  tileproof plant --format json                        one record (docs/record.md)

)";

}  // namespace tileproof::tool::help
