#include "oracle/domain/origin.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace tileproof::oracle {
namespace {

/// Of an input element: the same in every domain, whatever its key.
uint64_t leaf_hash(Origin::Element element) {
  static const KeyedHash hash = [] {
    KeyStream keys(0x6f72'6967'696e);
    return KeyedHash(keys);
  }();
  return hash(element.first, static_cast<uint64_t>(element.second));
}

}  // namespace

Origin::Origin(const Signature& signature, const Projection& projection, uint64_t key, uint64_t max_bytes)
    : field_(signature, projection, key), max_bytes_(max_bytes) {}

std::string Origin::reason() const {
  return exceeded_ ? "the graph of origins needs more than " + std::to_string(max_bytes_ >> 20) + " MiB" : std::string();
}

uint32_t Origin::push(Node node) {
  if (nodes_.size() * sizeof(Node) >= max_bytes_ || nodes_.size() >= ~uint32_t{0}) {
    exceeded_ = true;
    return 0;
  }
  nodes_.push_back(node);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t Origin::unite(uint32_t a, uint32_t b) {
  if (a == 0 || b == 0) return a | b;
  return push({a, b, nodes_[a].hash + nodes_[b].hash});
}

Origin::Value Origin::input(const InputElement& at) {
  const uint64_t field = field_.input(at);
  const Element element{at.buffer_hash, at.element};
  const auto [found, is_new] = leaves_.try_emplace(element, 0);
  if (is_new) {
    elements_.push_back(element);
    found->second = push({0, static_cast<uint32_t>(elements_.size() - 1), leaf_hash(element)});
  }
  return {field, found->second};
}

Origin::Value Origin::select(Value c, Value a, Value b) {
  const uint64_t field = field_.select(c.field, a.field, b.field);
  if (field_.sign(c.field) != symbols::Sign::unknown)
    return {field, carries(field) ? (c.field != 0 ? a.node : b.node) : 0};   // a true integer picks
  return made(field, {0, unite(c.node, a.node)}, b);
}

Origin::Value Origin::apply(ir::Op op, std::span<const Value> operands, ir::Dtype dtype) {
  std::array<uint64_t, 3> fields{};
  uint32_t node = 0;
  const size_t count = std::min(operands.size(), fields.size());
  for (size_t i = 0; i < count; ++i) fields[i] = operands[i].field;
  const uint64_t field = field_.apply(op, std::span(fields.data(), count), dtype);
  if (!carries(field)) return {field, 0};
  for (size_t i = 0; i < count; ++i) node = unite(node, operands[i].node);
  return {field, node};
}

Origin::Value Origin::accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype) {
  if (update == ir::Update::assign) return value;
  return made(field_.accumulate(update, old.field, value.field, dtype), old, value);
}

uint64_t Origin::digest(Value v) {
  if (drawing_) digested_ = 0;
  drawing_ = false;
  digested_ = unite(digested_, v.node);
  return field_.digest(v.field);
}

Origin::Value Origin::from_digest(uint64_t digest) {
  drawing_ = true;
  return {field_.from_digest(digest), digested_};
}

std::optional<std::vector<uint32_t>> Origin::below(uint32_t node, uint64_t work) const {
  std::vector<uint32_t> found, stack;
  std::unordered_set<uint32_t> seen;
  if (node != 0) stack.push_back(node);
  while (!stack.empty()) {
    const uint32_t top = stack.back();
    stack.pop_back();
    if (!seen.insert(top).second) continue;
    if (found.size() >= work) return std::nullopt;
    found.push_back(top);
    if (is_leaf(nodes_[top])) continue;
    stack.push_back(nodes_[top].left);
    stack.push_back(nodes_[top].right);
  }
  std::ranges::sort(found, std::greater());
  return found;
}

std::optional<std::map<Origin::Element, uint64_t>> Origin::elements(Value v, uint64_t work) const {
  const auto nodes = below(v.node, work);
  if (!nodes) return std::nullopt;
  std::map<Element, uint64_t> result;
  std::vector<uint64_t> counts(nodes->size());   // how often each node enters: parents come before children
  if (!counts.empty()) counts[0] = 1;
  const auto count = [&](uint32_t child, uint64_t times) {
    const auto at = std::ranges::lower_bound(*nodes, child, std::greater()) - nodes->begin();
    uint64_t& total = counts[static_cast<size_t>(at)];
    total = std::min(max_count, total + times);
  };
  for (size_t i = 0; i < nodes->size(); ++i) {
    const Node& node = nodes_[(*nodes)[i]];
    if (is_leaf(node)) {
      result[elements_[node.right]] = counts[i];
    } else {
      count(node.left, counts[i]);
      count(node.right, counts[i]);
    }
  }
  return result;
}

std::optional<uint64_t> Origin::support_hash(Value v, uint64_t& work) const {
  const auto nodes = below(v.node, work);
  if (!nodes) return std::nullopt;
  work -= nodes->size();
  uint64_t hash = 0;
  for (const uint32_t at : *nodes)
    if (is_leaf(nodes_[at])) hash += nodes_[at].hash;
  return hash;
}

}  // namespace tileproof::oracle
