// A mark in the environment of processes, by which they and their descendants are known wherever they went.
#pragma once

#include <string>

namespace tileproof::fuzz {

/// The name of the variable.
inline constexpr const char* mark_variable = "TILEPROOF_TILER";

/// One that no other process bears.
std::string new_mark();

/// Kills every process that was started with the mark, or by such a process: those in sessions of their own, and orphans, too. Not those
/// that emptied their environment, or run as another user. Does nothing where there is no /proc.
void kill_marked(const std::string& mark);

}  // namespace tileproof::fuzz
