// The parts of `verify`: one walk over a program that knows the visible names and collects what is wrong.
#pragma once

#include "compiler/ir/interval.h"
#include "compiler/ir/scope.h"
#include "compiler/ir/verify.h"

#include <set>
#include <string>

namespace tileproof::ir {

/// What an index-like expression may name beside literals and parameters, by the place where it stands.
struct IndexPlace {
  std::string_view what;      ///< "an index", "the extent of a buffer", ...
  bool loops = false;
  bool axes = false;
  bool reads = false;
};

class Verifier {
 public:
  Verifier(const Program& program, std::string_view file_name, Diagnostics& diagnostics)
      : program_(program), file_name_(file_name), diagnostics_(diagnostics) {}

  void run();

 private:
  // verify.cpp: the walk, control and the other items
  void block(const Block& body, int depth);
  void item(const Buffer& buffer, int depth);
  void item(const View& view, int depth);
  void item(const Statement& statement, int depth);
  void item(const Loop& loop, int depth);
  void item(const If& branch, int depth);
  void item(const While& repeat, int depth);
  void item(const Group& group, int depth);
  void item(const Move& move, int depth);
  void item(const Opaque& opaque, int depth);
  void nested(const Block& body, int depth, Location location);

  // verify_declaration.cpp
  void parameters();
  void extents(const Buffer& buffer);
  void annotations(const Buffer& buffer);
  void bar(const std::optional<size_t>& partition_rank, size_t rank, const std::string& name, Location location);
  /// A buffer named whole, by a move, an opaque operation or `clobbers`; nullptr (and an error) if it is none.
  const Buffer* whole_buffer(const std::string& name, Location location, std::string_view user);

  // verify_statement.cpp
  void axes(const Statement& statement);
  void destination(const Statement& statement);
  void update(const Statement& statement);
  void claims(const Statement& statement);
  void accumulate(const Statement& statement, bool is_float);
  void clobbers(const Statement& statement);

  // verify_expression.cpp
  /// The tree is one that text can be: operands by arity, literals without sign, names; not too high. Else an error, and false.
  bool structure(const Expression& e, Location fallback, int height = 1);
  /// Quasi-affine, and naming only what the place allows.
  void index(const Expression& e, const IndexPlace& place, Location fallback);
  void conditions(const std::vector<Expression>& list, const IndexPlace& place, Location fallback);
  /// A value expression; whether it is a float.
  bool value(const Expression& e, Location fallback);
  /// The indices of an access to `name`: as many as it has dims.
  void indices(const std::string& name, const Symbol& symbol, const std::vector<Expression>& list, Location fallback);
  /// Whether `e` depends on a reduce axis of the statement, be it through a gather.
  bool names_reduce_axis(const Expression& e) const;

  enum class ValueClass : uint8_t { literal, integer, floating };
  ValueClass value_class(const Expression& e, Location fallback);
  void integers_only(const Expression& e, const std::vector<ValueClass>& operands, Location location);
  /// Whether `e` is free of axes, loop variables and reads.
  bool index_part(const Expression& e, const IndexPlace& place, Location fallback);
  /// The same of a condition inside an index.
  bool truth(const Expression& e, const IndexPlace& place, Location fallback);
  bool index_variable(const Expression& e, const IndexPlace& place, Location location);
  void index_read(const Expression& e, const IndexPlace& place, Location location);

  // verify.cpp: names and messages
  void declare(const std::string& name, const Symbol& symbol);
  const Symbol* find(const std::string& name, Location location, bool memory);
  void tags(const Tags& tags, Location location, std::string_view owner);
  void report(Location location, std::string message, std::string mend);
  std::optional<Interval> interval_of(const Expression& e) const;
  /// An `in` buffer, through views too, is an error.
  void written(const Symbol& symbol, const std::string& name, Location location);

  const Program& program_;
  std::string_view file_name_;
  Diagnostics& diagnostics_;
  Scope scope_;
  std::set<std::string, std::less<>> unknown_;  ///< each unknown name is reported once
};

}  // namespace tileproof::ir
