# Compiler flags of the project's own targets.
add_library(dcmrank_flags INTERFACE)
target_compile_options(dcmrank_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(DCMRANK_WERROR)
  target_compile_options(dcmrank_flags INTERFACE -Werror)
endif()
# What g++'s optimiser believes of the code of libraries (strings that are not initialised, small vectors
# that are read beyond their end) is no fault of ours, and nobody's to read.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(dcmrank_flags INTERFACE -Wno-stringop-overread -Wno-array-bounds
    -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow)
endif()

if(DCMRANK_SANITIZE)
  add_compile_options(-fsanitize=${DCMRANK_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DCMRANK_SANITIZE})
endif()
if(DCMRANK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(DCMRANK_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
# For code around the library, which takes longer to build than to run.
function(dcmrank_build_quickly target)
  if(DCMRANK_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# Tests at full length take fewer runs where the code is slowed down by instrumentation.
if(DCMRANK_SANITIZE OR DCMRANK_COVERAGE)
  add_compile_definitions(DCMRANK_INSTRUMENTED)
endif()
