// Where values come from: which input elements enter a value, and how often (rules 21 and 33).
//
// Runs beside a field, because a factor of exact zero, exp(-inf) and what an infinity swallows carry no origin: without that,
// skipped keys of a causal attention would look missing. A data select keeps its condition and both arms. It explains and tells
// apart, and never accepts.
#pragma once

#include "oracle/domain/field.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tileproof::oracle {

struct OriginValue {
  uint64_t field = 0;
  uint32_t node = 0;   ///< 0: no input element
};

class Origin {
 public:
  using Value = OriginValue;
  /// An input element: the hash of its buffer's name, and its row-major index.
  using Element = std::pair<uint64_t, int64_t>;

  /// `max_bytes` bounds the graph; past it `exceeded()` holds and origins mean nothing (the field values still do).
  Origin(const Signature& signature, const Projection& projection, uint64_t key, uint64_t max_bytes);

  static Value poison() { return {Field::poison(), 0}; }
  static bool is_poison(Value v) { return Field::is_poison(v.field); }
  bool is_nan(Value v) const { return field_.is_nan(v.field); }
  Value input(const InputElement& at);
  Value integer(int64_t value) const { return {field_.integer(value), 0}; }
  Value literal(ir::Decimal decimal) const { return {field_.literal(decimal), 0}; }
  Value infinity() const { return {field_.infinity(), 0}; }
  Value nan() const { return {field_.nan(), 0}; }
  Value negate(Value a) const { return {field_.negate(a.field), a.node}; }
  Value add(Value a, Value b, ir::Dtype dtype) { return made(field_.add(a.field, b.field, dtype), a, b); }
  Value subtract(Value a, Value b, ir::Dtype dtype) { return made(field_.subtract(a.field, b.field, dtype), a, b); }
  Value multiply(Value a, Value b, ir::Dtype dtype) { return made(field_.multiply(a.field, b.field, dtype), a, b); }
  Value divide(Value a, Value b, ir::Dtype dtype) { return made(field_.divide(a.field, b.field, dtype), a, b); }
  Value max(Value a, Value b) { return made(field_.max(a.field, b.field), a, b); }
  Value min(Value a, Value b) { return made(field_.min(a.field, b.field), a, b); }
  Value compare(ir::Op op, Value a, Value b) { return made(field_.compare(op, a.field, b.field), a, b); }
  Value select(Value c, Value a, Value b);
  Value apply(ir::Op op, std::span<const Value> operands, ir::Dtype dtype);
  Value narrow(Value v, const Narrowing& narrowing) { return made(field_.narrow(v.field, narrowing), v, {}); }
  Value identity(ir::Update update) const { return {field_.identity(update), 0}; }
  Value accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype);
  /// An opaque kernel digests all its inputs and then draws its outputs: these have the origins of all that was digested before.
  uint64_t digest(Value v);
  Value from_digest(uint64_t digest);

  bool exceeded() const { return exceeded_; }
  std::string reason() const;
  std::string describe(Value v) const { return field_.describe(v.field); }

  /// How often each input element enters the value, ascending; counts stop at `max_count`. nullopt: more than `work` nodes lie
  /// below.
  static constexpr uint64_t max_count = uint64_t{1} << 40;
  std::optional<std::map<Element, uint64_t>> elements(Value v, uint64_t work = uint64_t{1} << 24) const;
  /// The same number for values with the same set of elements, in any two domains. Takes from `work` the nodes visited; nullopt:
  /// not enough left.
  std::optional<uint64_t> support_hash(Value v, uint64_t& work) const;
  /// The same number for values with the same elements equally often; costs nothing.
  uint64_t multiset_hash(Value v) const { return nodes_[v.node].hash; }

 private:
  struct Node {
    uint32_t left = 0, right = 0;  ///< both smaller than the node's index; a leaf: left is 0 and right the index of its element
    uint64_t hash = 0;  ///< the sum of its leaves' hashes, each as often as it enters
  };

  Value made(uint64_t field, Value a, Value b) { return {field, carries(field) ? unite(a.node, b.node) : 0}; }
  /// Exact zero, infinities, NaN and poison carry no origin.
  static bool carries(uint64_t field) { return field != 0 && symbols::is_number(field); }
  uint32_t unite(uint32_t a, uint32_t b);
  uint32_t push(Node node);
  bool is_leaf(const Node& node) const { return node.left == 0; }
  /// The nodes below `node`, itself included, descending; nullopt: more than `work`.
  std::optional<std::vector<uint32_t>> below(uint32_t node, uint64_t work) const;

  Field field_;
  uint64_t max_bytes_;
  bool exceeded_ = false;
  uint32_t digested_ = 0;  ///< what the opaque at work has read
  bool drawing_ = false;
  std::vector<Node> nodes_{Node{}};
  std::vector<Element> elements_;
  std::map<Element, uint32_t> leaves_;
};

static_assert(Domain<Origin>);

}  // namespace tileproof::oracle
