// The findings of one run: one for each (finding, statement, buffer), and one race a buffer.
#pragma once

#include "oracle/finding.h"

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tileproof::oracle {

class FindingLog {
 public:
  explicit FindingLog(size_t limit) : limit_(limit), is_full_(limit == 0) {}

  /// The statement that is being executed; "-" outside of statements. The label must outlive this.
  void enter(std::string_view label, ir::Location location) {
    label_ = label;
    location_ = location;
  }
  std::string_view label() const { return label_; }
  ir::Location location() const { return location_; }

  void add(FindingId id, std::string_view buffer, std::vector<int64_t> element, std::string detail) {
    add(id, label_, location_, buffer, std::move(element), std::move(detail));
  }
  void add(FindingId id, std::string_view label, ir::Location location, std::string_view buffer, std::vector<int64_t> element,
           std::string detail) {
    // A race leaves the history of its buffer without meaning, so the first one of a buffer is the only one.
    const std::string_view key = id == FindingId::race ? "" : label;
    if (full() || !seen_.emplace(id, key, buffer).second) return;
    findings_.push_back({id, std::string(label), std::string(buffer), std::move(element), location, std::move(detail)});
    is_full_ = findings_.size() >= limit_;
  }
  bool full() const { return is_full_; }
  bool has_room(size_t more) const { return findings_.size() + more < limit_; }
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  size_t limit_;
  bool is_full_;
  std::string_view label_ = "-";
  ir::Location location_;
  std::set<std::tuple<FindingId, std::string, std::string>> seen_;
  std::vector<Finding> findings_;
};

}  // namespace tileproof::oracle
