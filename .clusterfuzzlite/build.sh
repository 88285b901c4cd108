#!/bin/bash -eu
exec "$SRC/tileproof/ci/oss-fuzz/build.sh"
