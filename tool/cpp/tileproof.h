// The public C++ surface: find_package(Tileproof), link Tileproof::tileproof, include <tileproof.h>. docs/importing.md shows how.
//
//   text  -> ir::parse, ir::read_text -> ir::File -> its programs        or build ir::Program in C++ (ir/program.h)
//   oracle::check_pass(program, pass, options)                           runs your pass and checks what it made
//   oracle::check_programs(before, after, options)                       checks two programs that you have
//   oracle::text_report, oracle::json_record, oracle::explain            what the tool prints
#pragma once

#include "compiler/ir/program.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/machine/machine.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/check_pass.h"
#include "oracle/equivalence/report.h"
#include "oracle/explain/explain.h"
