# dcmrank_test(NAME SOURCE... [LIBS LIB...]): one GoogleTest program; each of its tests is a CTest
# test. Tests stand beside the code they test.
function(dcmrank_test name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE dcmrank dcmrank_flags GTest::gtest_main ${ARG_LIBS})
  target_precompile_headers(${name} PRIVATE <fmt/format.h> <gtest/gtest.h> <nlohmann/json.hpp>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
