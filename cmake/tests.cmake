# dcmrank_test(NAME [AS_ONE] SOURCE... [LIBS LIB...] [TOGETHER SUITE...]): one GoogleTest program; each
# of its tests is a CTest test, but for the suites that run together, whose many small tests would
# spend their time in starting. Tests stand beside the code they test. AS_ONE: sources are compiled a
# few at a time (names in their unnamed namespaces must differ) and not optimised, for tests that wait
# for another program: in these, what takes long to compile is the headers.
dcmrank_precompile(dcmrank_test_headers QUICKLY <fmt/format.h> <gtest/gtest.h> <nlohmann/json.hpp>
  LIBS fmt::fmt nlohmann_json::nlohmann_json Threads::Threads GTest::gtest_main)
function(dcmrank_test name)
  cmake_parse_arguments(ARG "AS_ONE" "" "LIBS;TOGETHER" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE dcmrank dcmrank_flags GTest::gtest_main ${ARG_LIBS})
  if(ARG_AS_ONE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    target_compile_options(${name} PRIVATE -O0)
  else()
    target_precompile_headers(${name} REUSE_FROM dcmrank_test_headers)
    dcmrank_build_quickly(${name})  # what tests are about is built in the library
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  foreach(suite IN LISTS ARG_TOGETHER)
    add_test(NAME ${suite} COMMAND ${name} --gtest_brief=1 --gtest_filter=${suite}.*)
  endforeach()
  list(TRANSFORM ARG_TOGETHER APPEND ".*")
  if(DCMRANK_SANITIZE)
    # Statistics over many runs: whatever code they run, other tests run too.
    list(APPEND ARG_TOGETHER "Regret.*" "*Estimates*" "*ThompsonLists*" "ThompsonSelection.*Threshold*"
         "AttractionInterval.*" "ReproduceCommand.*")
  endif()
  list(JOIN ARG_TOGETHER ":" apart)
  gtest_discover_tests(${name} TEST_FILTER "-${apart}" DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
