# One target a folder, made of the sources that lie in it.

# tileproof_library(NAME FOLDER|FILE [EXCEPT FOLDER|FILE...] [USES LIBRARY...]): a static library of one source, or of all sources under
# FOLDER but those that hold a `main`, and those of other libraries.
function(tileproof_library name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "EXCEPT;USES")
  if(folder MATCHES "\\.cpp$")
    set(sources ${folder})
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  endif()
  list(FILTER sources EXCLUDE REGEX "[/_]main\\.cpp$")
  foreach(other IN LISTS arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "/${other}(/|$)")
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC $<BUILD_INTERFACE:tileproof_options> ${fmt} ${arg_USES})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_USES})
  endif()
endfunction()

# tileproof_programs(FOLDER [USES LIBRARY...]): one executable NAME for each NAME_main.cpp in FOLDER.
function(tileproof_programs folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*_main.cpp)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "_main$" "" name ${name})
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ${arg_USES})
  endforeach()
endfunction()

# tileproof_tests(NAME FOLDER [USES LIBRARY...]): one executable of all tests under FOLDER; each test is known to CTest by its name.
# Tests run from the root of the repository, so that they name corpus files as a user does.
function(tileproof_tests name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "USES")
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${arg_USES} GTest::gmock GTest::gtest_main rapidcheck rapidcheck_gtest)
  add_dependencies(${name} tileproof)
  gtest_discover_tests(
    ${name}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    TEST_PREFIX ${name}.
    PROPERTIES TIMEOUT 900 ENVIRONMENT TILEPROOF=$<TARGET_FILE:tileproof>)
endfunction()

# tileproof_fuzzer(NAME [USES LIBRARY...]): the fuzz target fuzz/target/NAME.cpp, linked with the fuzzing engine.
function(tileproof_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
  add_executable(${name} fuzz/target/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${arg_USES} ${TILEPROOF_FUZZING_ENGINE})
endfunction()

# tileproof_benchmark(NAME FOLDER [USES LIBRARY...]): one Google Benchmark executable of all sources in FOLDER.
function(tileproof_benchmark name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "USES")
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${arg_USES} benchmark::benchmark_main)
endfunction()
