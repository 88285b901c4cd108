// What a primitive must know of the program beyond the nest that it edits.
#pragma once

#include "compiler/ir/interval.h"
#include "compiler/ir/name_hash.h"
#include "compiler/ir/program.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tileproof::transform {

/// A buffer or view, by what the legality conditions ask.
struct Memory {
  ir::Dtype dtype = ir::Dtype::f32;
  std::vector<ir::Expression> extents;
  std::string root;                    ///< the buffer behind a view, or the buffer itself
  ir::Role role = ir::Role::none;      ///< of the root
  bool is_view = false;
  bool is_placed = false;              ///< the root has an address, so others may share its bytes
  std::optional<ir::Range> range = std::nullopt;   ///< of an `in` buffer of integers
  bool operator==(const Memory&) const = default;
};

/// Built once for a program, in time linear in its size; the primitives that declare buffers and loops add them.
class Environment {
 public:
  explicit Environment(const ir::Program& program);

  /// nullptr: no such buffer, or several that differ.
  const Memory* find(const std::string& name) const;
  bool declares(const std::string& name) const { return memory_.contains(name) || ranges_.contains(name); }
  /// For ir::value_type and ir::accumulate_dtype.
  auto dtypes() const {
    return [this](const std::string& name) {
      const Memory* memory = find(name);
      return memory == nullptr ? std::nullopt : std::optional(memory->dtype);
    };
  }
  /// What a parameter, or any loop of that name, takes; nullopt: not known.
  std::optional<ir::Interval> range_of(std::string_view name) const;

  bool is_parameter(const std::string& name) const { return parameters_.contains(name); }

  /// Whether a value of the dtype that a sum is combined in survives in `dtype`: f64 and i64 always, f32 in programs without f64,
  /// i32 in programs without i64, u32 and f64. The oracle compares the roundings into all others (docs/verdicts.md).
  bool is_wide(ir::Dtype dtype) const;

  void declare(const ir::Buffer& buffer);
  /// From here on the name of this buffer or view stands for it alone: what the items behind it in its block see. Other items: nothing.
  void enter(const ir::Item& item);
  void declare_loop(const std::string& name, std::optional<ir::Interval> values);

 private:
  template <class Value>
  using ByName = std::unordered_map<std::string, Value, ir::NameHash, std::equal_to<>>;
  ByName<std::optional<Memory>> memory_;  // nullopt: several that differ
  ByName<std::optional<ir::Interval>> ranges_;  // nullopt: not known
  std::unordered_set<std::string, ir::NameHash> parameters_;
  std::unordered_set<std::string, ir::NameHash> several_;  // names that stand for one thing here and for another one there
  bool has_f64_ = false, has_i64_ = false, has_u32_ = false;

  void declare(const ir::View& view);
  void add(const std::string& name, Memory memory);
  void note(ir::Dtype dtype);
  void block(const ir::Block& items);
  void expression(const ir::Expression& e);
};

/// Bounds of `e` at the points of `statement`: axes run from 0 to their extents, other names are those of the environment.
std::optional<ir::Interval> bounds(const ir::Expression& e, const ir::Statement& statement, const Environment& environment);
/// Whether the comparison holds at all points of `statement`, its conditions aside. False: not known.
bool always(const ir::Expression& condition, const ir::Statement& statement, const Environment& environment);
/// Whether `extent` is at least 1, whatever the parameters and the loops around are. False: not known.
bool is_positive(const ir::Expression& extent, const Environment& environment);

}  // namespace tileproof::transform
