# What every target is compiled and linked with.

# Whoever builds with another compiler than ours says so, as OSS-Fuzz does.
set(errors -Werror)
if(CMAKE_CXX_FLAGS MATCHES "-Wno-error")
  set(errors)
endif()

add_library(tileproof_options INTERFACE)
target_include_directories(tileproof_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(
  tileproof_options
  INTERFACE ${errors}
            -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Wcast-qual
            -Wcast-align
            -Woverloaded-virtual
            -Wextra-semi
            -Wundef
            -Wimplicit-fallthrough
            -Wno-missing-field-initializers) # designated initialisers leave the rest at their defaults on purpose
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # These of g++-12 report inlined code of the standard library and of fmt 9 themselves at -O3.
  set(false_alarms -Wno-restrict -Wno-maybe-uninitialized -Wno-dangling-pointer -Wno-stringop-overflow -Wno-array-bounds)
  target_compile_options(tileproof_options INTERFACE -Wduplicated-cond -Wlogical-op ${false_alarms})
else()
  # std::stable_sort of libstdc++ 12 uses a function that C++17 deprecates, and clang puts that at our door.
  target_compile_options(tileproof_options INTERFACE -Wunreachable-code-aggressive -Wrange-loop-analysis -Wno-deprecated-declarations)
endif()

find_program(TILEPROOF_CCACHE ccache)
if(TILEPROOF_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TILEPROOF_CCACHE})
endif()

find_program(TILEPROOF_MOLD mold)
if(TILEPROOF_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
