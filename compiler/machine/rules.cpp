// What an opcode asks beside its formula: rule_violations of unify.h.
#include "compiler/ir/verify.h"
#include "compiler/machine/limit.h"
#include "compiler/machine/unify.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tileproof::machine {
namespace {

std::string names(const std::vector<ir::Dtype>& dtypes) {
  std::vector<std::string_view> words;
  for (const ir::Dtype dtype : dtypes) words.push_back(ir::name(dtype));
  return fmt::format("{}", fmt::join(words, ", "));
}

bool contains(const auto& list, const auto& value) { return std::ranges::find(list, value) != list.end(); }

class Rules {
 public:
  Rules(std::span<const Operation> operations, const Binding& binding, const Machine& machine)
      : operations_(operations), binding_(binding), opcode_(*binding.opcode), machine_(machine) {}

  std::vector<Reason> violations() {
    for (const BoundRole& bound : binding_.roles) judge_role(bound);
    for (const auto& roles : opcode_.same_dtype) judge_same(roles);
    for (size_t i = 0; i < operations_.size(); ++i) judge_statement(i);
    for (const Limit& limit : opcode_.limits) {
      if (auto reason = broken_limit(limit, operations_, binding_)) reasons_.push_back(std::move(*reason));
    }
    return in_order_of_kind();
  }

 private:
  std::vector<Reason> in_order_of_kind() {
    std::vector<Reason> ordered;
    for (const Reason::Kind kind : {Reason::Kind::space, Reason::Kind::dtype, Reason::Kind::limit, Reason::Kind::bank}) {
      std::ranges::copy_if(reasons_, std::back_inserter(ordered), [&](const Reason& reason) { return reason.kind == kind; });
    }
    return ordered;
  }

  const Access& access(const BoundRole& bound) const { return operations_[bound.operation].access(bound.access); }

  void add(Reason::Kind kind, const BoundRole& bound, std::string fact, std::string rule) {
    reasons_.push_back(
        {kind, bound.role, {}, access(bound).name, &operations_[bound.operation].statement(), std::move(fact), std::move(rule)});
  }

  void judge_role(const BoundRole& bound) {
    const RoleRule* rule = opcode_.role(bound.role);
    if (rule == nullptr) return;
    const ir::Dtype dtype = access(bound).buffer->dtype;
    if (!rule->dtypes.empty() && !contains(rule->dtypes, dtype)) {
      add(Reason::Kind::dtype, bound, fmt::format("{} is {}", access(bound).name, ir::name(dtype)),
          fmt::format("takes {} as {}", names(rule->dtypes), bound.role));
    }
    if (rule->one_bank) judge_bank(bound);
  }

  void judge_bank(const BoundRole& bound) {
    const Operation& operation = operations_[bound.operation];
    const ir::Buffer& buffer = *access(bound).buffer;
    const Space* space = machine_.space(buffer.space);
    const auto window = element_window(operation, bound.access);
    if (space == nullptr || !space->bank_bytes || !window) return;
    const int64_t bank = *space->bank_bytes, width = ir::bits(buffer.dtype);
    const int64_t base = buffer.address ? form_of(buffer.address->byte, {}, {}, *operation.lookup).constant : 0;
    const int64_t first = base + window->first * width / 8, last = base + ((window->last + 1) * width - 1) / 8;
    if (first / bank == last / bank) return;
    add(Reason::Kind::bank, bound,
        fmt::format("{} takes bytes {}..{} of {}{}", access(bound).name, first, last, buffer.space,
                    buffer.address ? "" : ", counted from the start of its first bank"),
        fmt::format("keeps {} within one bank of {} bytes", bound.role, bank));
  }

  void judge_same(const std::vector<std::string>& roles) {
    const BoundRole* first = nullptr;
    for (const BoundRole& bound : binding_.roles) {
      if (!contains(roles, bound.role)) continue;
      if (first == nullptr) {
        first = &bound;
      } else if (access(*first).buffer->dtype != access(bound).buffer->dtype) {
        add(Reason::Kind::dtype, bound,
            fmt::format("{} is {} and {} is {}", access(*first).name, ir::name(access(*first).buffer->dtype), access(bound).name,
                        ir::name(access(bound).buffer->dtype)),
            fmt::format("takes equal dtypes as {}", fmt::join(roles, " and ")));
        return;
      }
    }
  }

  void judge_statement(size_t number) {
    const Operation& operation = operations_[number];
    const auto dtype_of = [&](std::string_view name) -> std::optional<ir::Dtype> {
      const auto found = std::ranges::find(operation.text->accesses, name, &Access::name);
      return found == operation.text->accesses.end() ? std::nullopt : std::optional(found->buffer->dtype);
    };
    const ir::Dtype accumulate = ir::accumulate_dtype(operation.statement(), dtype_of);
    if (!opcode_.accumulate.empty() && !contains(opcode_.accumulate, accumulate)) {
      reasons_.push_back({Reason::Kind::dtype,
                          {},
                          {},
                          {},
                          &operation.statement(),
                          fmt::format("the statement accumulates in {}", ir::name(accumulate)),
                          fmt::format("accumulates in {}", names(opcode_.accumulate))});
    }
    for (const Access& touched : operation.text->accesses) {
      if (touched.place == Access::Place::condition) judge_mask(operation, touched);
      if (touched.place == Access::Place::index) judge_index(number, touched);
    }
  }

  void judge_mask(const Operation& operation, const Access& touched) {
    if (contains(opcode_.masks, touched.buffer->space)) return;
    reasons_.push_back({Reason::Kind::space,
                        {},
                        {},
                        touched.name,
                        &operation.statement(),
                        fmt::format("a condition reads {} in {}", touched.name, touched.buffer->space),
                        opcode_.masks.empty() ? "has conditions on axes only"
                                              : fmt::format("reads masks from {}", fmt::join(opcode_.masks, ", "))});
  }

  void judge_index(size_t number, const Access& touched) {
    // An index of an index belongs to the access at the root.
    const std::vector<Access>& accesses = operations_[number].text->accesses;
    size_t root = touched.owner;
    while (accesses[root].place == Access::Place::index) root = accesses[root].owner;
    if (accesses[root].place == Access::Place::condition) {
      judge_mask(operations_[number], touched);
      return;
    }
    const auto bound =
        std::ranges::find_if(binding_.roles, [&](const BoundRole& b) { return b.operation == number && b.access == root; });
    if (bound == binding_.roles.end()) return;
    const RoleRule* rule = opcode_.role(bound->role);
    if (rule != nullptr && contains(rule->indirect, touched.buffer->space)) return;
    add(Reason::Kind::space, *bound,
        fmt::format("an index of {} reads {} in {}", accesses[root].name, touched.name, touched.buffer->space),
        rule == nullptr || rule->indirect.empty()
            ? fmt::format("has no indirect access for {}", bound->role)
            : fmt::format("reads the indices of {} from {}", bound->role, fmt::join(rule->indirect, ", ")));
  }

  std::span<const Operation> operations_;
  const Binding& binding_;
  const Opcode& opcode_;
  const Machine& machine_;
  std::vector<Reason> reasons_;
};

}  // namespace

std::vector<Reason> rule_violations(std::span<const Operation> operations, const Binding& binding, const Machine& machine) {
  return Rules(operations, binding, machine).violations();
}

}  // namespace tileproof::machine
