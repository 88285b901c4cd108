// The fast interpreter: lowers a program and runs it over a domain. It agrees with the reference evaluator on everything.
#pragma once

#include "oracle/interpret/code.h"
#include "oracle/interpret/evaluator.h"
#include "oracle/interpret/filling.h"
#include "oracle/interpret/finding_log.h"
#include "oracle/interpret/injective.h"
#include "oracle/interpret/meter.h"
#include "oracle/interpret/observer.h"
#include "oracle/interpret/order.h"
#include "oracle/interpret/outputs.h"
#include "oracle/interpret/statement_runner.h"
#include "oracle/memory/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace tileproof::oracle {

template <class D>
class Executor final : public Environment {
 public:
  using Value = typename D::Value;

  Executor(const Code& code, D& domain, const RunOptions& options, Observer* observer)
      : code_(code),
        domain_(domain),
        options_(options),
        observer_(observer),
        log_(options.findings),
        meter_(options_.limits, log_),
        memory_(code, log_),
        filling_(code, domain, memory_, options_, meter_),
        evaluator_(code, domain, memory_, log_),
        runner_(code, domain, memory_, log_, evaluator_, meter_) {}

  /// `also`: names of top-level buffers whose contents are wanted too, behind the outputs.
  Run<Value> run(std::span<const std::string> also) {
    refuse_too_large_buffers();
    if (!meter_.late(0)) block(code_.body);
    log_.enter("-", {});
    Run<Value> result;
    if (meter_.status == RunStatus::done && !log_.full()) {
      Outputs<D> outputs(code_, domain_, memory_, log_, meter_);
      outputs.outputs(result);
      outputs.contents(result, also);
      filling_.leave_inputs();
    }
    if (meter_.status != RunStatus::done) result.outputs.clear();
    result.status = meter_.status;
    result.reason = reason_;
    result.points = meter_.points;
    result.overwritten = memory_.overwritten;
    result.overwrites = std::move(memory_.overwrites);
    result.findings = log_.take();
    return result;
  }

  int64_t value(std::string_view name) const override {
    if (const auto parameter = code_.parameters.find(name); parameter != code_.parameters.end()) return parameter->second;
    const auto loop = std::find_if(loops_.rbegin(), loops_.rend(), [&](const LoopCode* at) { return at->name == name; });
    return loop == loops_.rend() ? 0 : evaluator_.env[(*loop)->slot];
  }
  Instance instance(std::string_view name) const override {
    const auto found = std::find_if(visible_.rbegin(), visible_.rend(), [&](const auto& at) { return at.first == name; });
    return found == visible_.rend() ? 0 : instances_[found->second];
  }

 private:
  const Code& code_;
  D& domain_;
  const RunOptions& options_;
  Observer* observer_;
  FindingLog log_;
  Meter meter_;
  Memory<Value> memory_;
  Filling<D> filling_;
  Evaluator<D> evaluator_;
  StatementRunner<D> runner_;
  std::string reason_;
  Instance next_instance_ = 0;
  uint64_t bytes_ = 0;
  std::vector<uint64_t> held_ = std::vector<uint64_t>(code_.buffers.size());       // bytes of each buffer's storage
  std::vector<Instance> instances_ = std::vector<Instance>(code_.buffers.size());
  std::vector<std::pair<std::string_view, uint32_t>> visible_;                     // buffers and views, innermost last
  std::vector<const LoopCode*> loops_;

  void fail(RunStatus status, std::string reason) {
    if (meter_.status == RunStatus::done) {
      meter_.status = status;
      reason_ = std::move(reason);
    }
  }

  void block(const BlockCode& nodes) {
    const size_t outer = visible_.size();
    for (const NodeCode& node : nodes) {
      if (meter_.stopped()) break;
      std::visit([this](const auto& code) { this->execute(code); }, node.node);
    }
    if (observer_ != nullptr) {
      for (size_t i = outer; i < visible_.size(); ++i) {
        if (code_.buffers[visible_[i].second].source->name == visible_[i].first)
          observer_->release(instances_[visible_[i].second]);
      }
    }
    visible_.resize(outer);
  }
  void execute(const BlockCode& nodes) { block(nodes); }

  /// Runs the statement-free integer code of control; false on a fault.
  bool control(ir::Location location, const IntegerCode& code, int64_t& value) {
    log_.enter("-", location);
    evaluator_.fault = false;
    value = evaluator_.index(code);
    return !std::exchange(evaluator_.fault, false);
  }

  // ---- buffers and views ----

  /// Bytes that a run needs for a buffer; what is kept of an output for the comparison (a writer and a digest) is counted with it.
  uint64_t bytes_of(const BufferCode& buffer) const {
    if (static_cast<uint64_t>(buffer.count) > options_.limits.bytes) return uint64_t{1} << 62;
    constexpr uint64_t kept = sizeof(uint32_t) + sizeof(uint64_t);
    return Memory<Value>::bytes_of(buffer) + (buffer.tracking.state ? kept * static_cast<uint64_t>(buffer.count) : 0);
  }

  /// False: the run ends.
  bool hold(uint64_t bytes) {
    bytes_ = std::min(bytes_ + bytes, uint64_t{1} << 62);
    if (bytes_ <= options_.limits.bytes) return true;
    fail(RunStatus::out_of_memory, fmt::format("the buffers need more than {} bytes", options_.limits.bytes));
    return false;
  }

  /// The buffers of the top level live to the end, so whether they fit is known before the first of them is touched.
  void refuse_too_large_buffers() {
    for (const NodeCode& node : code_.body) {
      const auto* declare = std::get_if<DeclareCode>(&node.node);
      if (declare == nullptr) continue;
      held_[declare->buffer] = bytes_of(code_.buffers[declare->buffer]);
      if (!hold(held_[declare->buffer])) return;
    }
  }

  void execute(const DeclareCode& declare) {
    const uint32_t number = declare.buffer;
    const BufferCode& buffer = code_.buffers[number];
    const uint64_t needed = bytes_of(buffer);
    if (needed > held_[number]) {
      if (!hold(needed - held_[number])) return;
      held_[number] = needed;
    }
    if (!filling_.fill(number)) return;
    instances_[number] = ++next_instance_;
    memory_.refresh(number, next_instance_);
    visible_.emplace_back(buffer.source->name, number);
    Storage<Value>& storage = memory_[number];
    std::optional<std::pair<int64_t, int64_t>> address;
    if (buffer.address) {
      address.emplace();
      if (!control(buffer.source->location, buffer.address->first, address->first) ||
          !control(buffer.source->location, buffer.address->second, address->second))
        return;
      storage.partition = address->first;
      storage.byte = address->second;
      if (buffer.tracking.bytes &&
          (address->first < 0 || address->second < 0 || static_cast<uint64_t>(address->second) > options_.limits.bytes / 8)) {
        log_.enter("-", buffer.source->location);
        log_.add(FindingId::address, buffer.source->name, {},
                 fmt::format("the address {}:{} is outside of every memory", address->first, address->second));
        fail(RunStatus::unsupported, "an address that no memory has");
        return;
      }
    }
    storage.valid.clear();
    for (const auto& [low, high] : buffer.valid) {
      std::pair<int64_t, int64_t> range;
      if (!control(buffer.source->location, low, range.first) || !control(buffer.source->location, high, range.second)) return;
      storage.valid.push_back(range);
    }
    if (observer_ != nullptr) observer_->declare(next_instance_, *buffer.source, buffer.extents, address);
    if (buffer.tracking.bytes && (buffer.source->role == ir::Role::in || buffer.source->role == ir::Role::inout))
      memory_.own_all(number);
  }

  void execute(const ViewCode& view) {
    visible_.emplace_back(view.source->name, view.buffer);
    if (view.injectivity == Injectivity::yes) return;
    std::vector<int64_t> extents;
    for (const IntegerCode& extent : view.extents) {
      int64_t value = 0;
      if (!control(view.source->location, extent, value)) return;
      extents.push_back(std::max<int64_t>(0, value));
    }
    const auto evaluate = [&](const IntegerCode& code) { return evaluator_.integer(code); };
    const Injectivity result = view.injectivity ? *view.injectivity : is_injective(view, extents, evaluator_.env, evaluate);
    if (result == Injectivity::no) {
      log_.enter("-", view.source->location);
      log_.add(FindingId::view, view.source->name, {}, "two elements of the view are one element of its base");
    } else if (result == Injectivity::undecided) {
      fail(RunStatus::unsupported, fmt::format("the view {} is too large to show that its map is injective", view.source->name));
    }
  }

  // ---- statements ----

  void execute(const RunStatementCode& run) {
    const StatementCode& statement = code_.statements[run.statement];
    log_.enter(statement.label, statement.source->location);
    if (!runner_.open(statement)) return;
    if (observer_ != nullptr) {
      for (const AxisCode& axis : statement.axes) evaluator_.env[axis.slot] = 0;
      observer_->execute(*statement.source, statement.site, runner_.extents(), *this);
      for (const uint32_t buffer : statement.buffers_read) observer_->access(instances_[buffer], false);
      const uint32_t destination = code_.accesses[statement.destination].buffer;
      if (statement.source->update != ir::Update::assign && !statement.start) observer_->access(instances_[destination], false);
      observer_->access(instances_[destination], true);
      for (const uint32_t buffer : statement.clobbers) observer_->access(instances_[buffer], true);
    }
    runner_.run();
  }

  void observe(uint32_t buffer, bool is_write) {
    if (observer_ != nullptr) observer_->access(instances_[buffer], is_write);
  }

  // ---- control ----

  void execute(const LoopCode& loop) {
    int64_t low = 0, high = 0;
    if (!control(loop.location, loop.low, low) || !control(loop.location, loop.high, high) || low >= high) return;
    const bool concurrent = loop.kind != ir::LoopKind::seq;
    const Strand outer = memory_.strand;
    const uint32_t execution = concurrent ? memory_.strands.new_loop() : 0;
    loops_.push_back(&loop);
    const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    if (count > (uint64_t{1} << 62)) {
      fail(RunStatus::unsupported, "a loop of more than 2^62 iterations");
    }
    for (uint64_t turn = 0; turn < count && !meter_.stopped(); ++turn) {
      const auto at = static_cast<int64_t>(turn);
      evaluator_.env[loop.slot] =
          low + (concurrent ? iteration_at(options_.order, options_.key, at, static_cast<int64_t>(count)) : at);
      if (concurrent) {
        memory_.strand = memory_.strands.enter(outer, execution);
        if (memory_.strands.bytes() + bytes_ > options_.limits.bytes)
          fail(RunStatus::out_of_memory, "too many concurrent iterations");
      }
      block(*loop.body);
    }
    memory_.strand = outer;
    loops_.pop_back();
  }

  /// nullopt: a fault.
  std::optional<bool> decide(const std::vector<Condition>& conditions, ir::Location location) {
    log_.enter("-", location);
    evaluator_.fault = false;
    const bool result = evaluator_.all_hold(conditions);
    if (std::exchange(evaluator_.fault, false)) return std::nullopt;
    return result;
  }

  void execute(const IfCode& branch) {
    const std::optional<bool> condition = decide(branch.conditions, branch.location);
    if (condition) block(*condition ? *branch.then_body : *branch.else_body);
  }

  void execute(const WhileCode& loop) {
    int64_t limit = 0;
    if (!control(loop.location, loop.limit, limit)) return;
    for (int64_t turn = 0; !meter_.stopped(); ++turn) {
      const std::optional<bool> condition = decide(loop.conditions, loop.location);
      if (!condition || !*condition) return;
      if (turn >= limit) {
        log_.add(FindingId::while_limit, "-", {}, fmt::format("the condition still holds after {} iterations", limit));
        return;
      }
      block(*loop.body);
    }
  }

  // ---- whole buffers ----

  /// The contents, as an expression reads them.
  void read_all(uint32_t number, std::vector<Value>& values, std::vector<int64_t>& integers) {
    const BufferCode& buffer = code_.buffers[number];
    Storage<Value>& storage = memory_[number];
    values = storage.values;
    integers = storage.integers;
    observe(number, false);
    if (!buffer.tracking.any()) return;
    for (int64_t element = 0; element < buffer.count && !meter_.late(element); ++element) {
      const auto at = static_cast<size_t>(element);
      const bool is_poison = buffer.is_index ? integers[at] == integer_poison : D::is_poison(values[at]);
      if (memory_.note_read(number, element, is_poison)) continue;
      if (buffer.is_index)
        integers[at] = integer_poison;
      else
        values[at] = D::poison();
    }
  }

  void note_write_all(uint32_t number) {
    observe(number, true);
    if (!code_.buffers[number].tracking.any()) return;
    for (int64_t element = 0; element < code_.buffers[number].count && !meter_.late(element); ++element) {
      memory_.note_write(number, element, no_site, Memory<Value>::Writing::whole, false);
    }
  }

  void check_range(uint32_t number) {
    const BufferCode& buffer = code_.buffers[number];
    if (!buffer.is_index || buffer.low >= buffer.high) return;
    for (int64_t element = 0; element < buffer.count && !meter_.late(element); ++element) {
      const int64_t v = memory_[number].integers[static_cast<size_t>(element)];
      if (v == integer_poison || (v >= buffer.low && v < buffer.high)) continue;
      log_.add(FindingId::range, buffer.source->name, memory_.indices(number, element),
               fmt::format("{} is outside the declared range {}..{}", v, buffer.low, buffer.high));
      return;
    }
  }

  void execute(const MoveCode& move) {
    log_.enter("-", move.location);
    std::vector<std::vector<Value>> values(move.sources.size());
    std::vector<std::vector<int64_t>> integers(move.sources.size());
    for (size_t i = 0; i < move.sources.size(); ++i) read_all(move.sources[i], values[i], integers[i]);
    for (size_t i = 0; i < move.sources.size(); ++i) {
      memory_[move.destinations[i]].values = std::move(values[i]);
      memory_[move.destinations[i]].integers = std::move(integers[i]);
      note_write_all(move.destinations[i]);
      check_range(move.destinations[i]);
      meter_.add(code_.buffers[move.destinations[i]].count);
    }
  }

  void execute(const OpaqueCode& opaque) {
    log_.enter("-", opaque.source->location);
    uint64_t digest = hash_name(opaque.source->name);
    bool poisoned = false;
    for (size_t i = 0; i < opaque.buffers.size(); ++i) {
      if (opaque.source->arguments[i].role == ir::Role::out) continue;
      std::vector<Value> values;
      std::vector<int64_t> integers;
      read_all(opaque.buffers[i], values, integers);
      int64_t element = 0;
      for (const Value& v : values) {
        if (meter_.late(element++)) return;
        poisoned = poisoned || D::is_poison(v);
        digest = mix(digest, D::is_poison(v) ? 0 : domain_.digest(v));
      }
      for (const int64_t v : integers) {
        poisoned = poisoned || v == integer_poison;
        if (poisoned) break;
        // As a data-kind buffer of the dtype would hold it.
        const Narrowing narrowing{ir::Dtype::i64, code_.buffers[opaque.buffers[i]].source->dtype, false, no_site};
        digest = mix(digest, domain_.digest(domain_.narrow(domain_.integer(v), narrowing)));
      }
    }
    for (size_t i = 0; i < opaque.buffers.size(); ++i) {
      if (opaque.source->arguments[i].role == ir::Role::in) continue;
      const uint32_t number = opaque.buffers[i];
      const BufferCode& buffer = code_.buffers[number];
      const bool is_float = ir::is_float(buffer.source->dtype);
      for (int64_t element = 0; element < buffer.count && !meter_.late(element); ++element) {
        const Value v = domain_.from_digest(mix(mix(digest, i), static_cast<uint64_t>(element)));
        memory_[number].values[static_cast<size_t>(element)] =
            poisoned ? D::poison()
                     : domain_.narrow(v, {is_float ? ir::Dtype::f32 : ir::Dtype::i64, buffer.source->dtype, is_float, no_site});
      }
      note_write_all(number);
      meter_.add(buffer.count);
    }
  }
};

/// Runs lowered code, with the parameters and kinds that it was lowered for. Errors are in Run::status.
template <Domain D>
Run<typename D::Value> run_program(const LoweredProgram& code, D& domain, const RunOptions& options, Observer* observer = nullptr,
                                   std::span<const std::string> also = {}) {
  if (code) return Executor<D>(*code, domain, options, observer).run(also);
  Run<typename D::Value> run;
  run.status = RunStatus::unsupported;
  run.reason = code.error();
  return run;
}

/// Precondition: `program` is well formed and every parameter has a value within its range.
/// Outputs are the `out` and `inout` buffers, and behind them the other top-level buffers that `also` names, as they are in the end.
template <Domain D>
Run<typename D::Value> run_program(const ir::Program& program, D& domain, const RunOptions& options, Observer* observer = nullptr,
                                   std::span<const std::string> also = {}) {
  return run_program(lower(program, options.parameters, options.kinds), domain, options, observer, also);
}

}  // namespace tileproof::oracle
