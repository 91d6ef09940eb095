# dcmrank_discover_suites(TARGET FILTER): each suite of a GoogleTest program is a CTest test, found when the program is
# built. For suites of many small tests, which would spend most of their time in starting.
# As a script: cmake -DPROGRAM=FILE -DFILTER=FILTER -DOUT=FILE -P suites.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  execute_process(COMMAND ${PROGRAM} --gtest_list_tests --gtest_filter=${FILTER}
    OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(^|\n)[^ \n]+\\." suites "${listed}")  # tests stand behind blanks
  list(TRANSFORM suites STRIP)
  if(NOT suites)
    message(FATAL_ERROR "${PROGRAM} has no tests")
  endif()
  set(text "")
  foreach(suite IN LISTS suites)
    string(REGEX REPLACE "\\.$" "" name ${suite})
    string(APPEND text "add_test([==[${name}]==] \"${PROGRAM}\" --gtest_brief=1 [==[--gtest_filter=${suite}*]==])\n"
      "set_tests_properties([==[${name}]==] PROPERTIES TIMEOUT 600)\n")
  endforeach()
  file(WRITE ${OUT} "${text}")
  return()
endif()

function(dcmrank_discover_suites target filter)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  set(script ${PROJECT_SOURCE_DIR}/cmake/suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS ${out}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}> -DFILTER=${filter} -DOUT=${out} -P ${script} VERBATIM)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
  file(WRITE ${out}.include
    "if(EXISTS \"${out}\")\n  include(\"${out}\")\nelse()\n  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${out}.include)
endfunction()
