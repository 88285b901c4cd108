# Script: cmake -DFILES=a.machine;b.machine -DOUTPUT=x.cpp -P EmbedMachineFiles.cmake
# Each file becomes raw string literals, in pieces, since compilers bound the length of one.
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WLE)
  file(READ ${file} content)
  if(content MATCHES "\\)machine\"")
    message(FATAL_ERROR "${file}: the text )machine\" cannot be embedded; write it another way")
  endif()
  string(LENGTH "${content}" length)
  set(literal "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${content}" ${at} 8000 piece)
    string(FIND "${piece}" "\n" line_end REVERSE)
    if(line_end GREATER_EQUAL 0)
      math(EXPR line_end "${line_end} + 1")
      string(SUBSTRING "${piece}" 0 ${line_end} piece)
    endif()
    string(LENGTH "${piece}" piece_length)
    string(APPEND literal "\n        R\"machine(${piece})machine\"")
    math(EXPR at "${at} + ${piece_length}")
  endwhile()
  string(APPEND entries "    {\"${name}\",${literal}},\n")
endforeach()
file(
  WRITE ${OUTPUT}
  "// Made by cmake/EmbedMachineFiles.cmake from compiler/machine/files.
#include \"compiler/machine/embedded.h\"

#include <span>
#include <string_view>
#include <utility>

namespace tileproof::machine {

std::span<const std::pair<std::string_view, std::string_view>> embedded_machine_files() {
  static constexpr std::pair<std::string_view, std::string_view> files[] = {
${entries}  };
  return files;
}

}  // namespace tileproof::machine
")
