#!/bin/bash -eu
# Builds the fuzz targets into $OUT as OSS-Fuzz and ClusterFuzzLite want them; ci/oss-fuzz/try calls it with the environment of their images.
#   ci/oss-fuzz/build.sh [TARGET...]     all of fuzz/target unless some are named
# Uses CC CXX CFLAGS CXXFLAGS LIB_FUZZING_ENGINE FUZZING_ENGINE SRC WORK OUT.
root=${TILEPROOF_SOURCE:-$SRC/tileproof}
build=$WORK/tileproof
targets=("$@")
if (($# == 0)); then
  mapfile -t targets < <(cd "$root/fuzz/target" && printf '%s\n' *_fuzzer.cpp | sed 's/\.cpp$//')
fi

# No build type: all flags are those of the environment.
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="$CXXFLAGS" \
  -DTILEPROOF_FUZZERS=ON -DTILEPROOF_TESTS=OFF -DTILEPROOF_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "$build" --parallel "${TILEPROOF_JOBS:-$(nproc)}" --target "${targets[@]}"

for target in "${targets[@]}"; do
  cp "$build/$target" "$OUT/"
  "$root/fuzz/target/seed_corpus.py" "$target" "$OUT/${target}_seed_corpus.zip"
  for file in "$root/fuzz/target/$target".{options,dict}; do
    if [[ -e $file ]]; then cp "$file" "$OUT/"; fi
  done
done

# The structured mutator for AFL_CUSTOM_MUTATOR_LIBRARY. It runs inside of afl-fuzz, so it has no sanitizer and no coverage.
if [[ ${FUZZING_ENGINE:-} == afl ]]; then
  library=()
  if [[ $CXXFLAGS == *-stdlib=libc++* ]]; then library=(-stdlib=libc++ -static-libstdc++); fi
  "$CXX" -std=c++23 -O2 -fPIC -shared "${library[@]}" -DFMT_HEADER_ONLY -I"$root" "$root"/fuzz/target/afl_text_mutator.cpp \
    "$root"/fuzz/mutate/*.cpp "$root"/fuzz/generate/choices.cpp "$root"/compiler/ir/*.cpp \
    -o "$OUT/text_fuzzer_afl_mutator.so"
fi
