# A name that headers and library have in common, made of the version and the bytes of all headers:
# installed headers ask for it (dcmrank/base/same_version.h.in), and the library has it.
# As a script: cmake -DHEADERS=FOLDER -DVERSION=1.2.3 -DOUT=FOLDER -P same_version.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  file(GLOB_RECURSE headers RELATIVE ${HEADERS} ${HEADERS}/*.h)
  list(FILTER headers EXCLUDE REGEX "_test\\.h$")
  list(SORT headers)
  set(all "")
  foreach(header IN LISTS headers)
    file(SHA256 ${HEADERS}/${header} hash)
    string(APPEND all "${header} ${hash}\n")
  endforeach()
  string(SHA256 hash "${all}")
  string(SUBSTRING ${hash} 0 12 hash)
  string(MAKE_C_IDENTIFIER "dcmrank_library_of_the_same_build_as_headers_${VERSION}_${hash}" tag)
  configure_file(${HEADERS}/base/same_version.h.in ${OUT}/same_version.h @ONLY)
  set(source "#include \"same_version.h\"\nconst char DCMRANK_SAME_VERSION = 0;\n")
  file(CONFIGURE OUTPUT ${OUT}/same_version.cpp CONTENT "${source}" @ONLY)
  return()
endif()

# dcmrank_same_version(TARGET HEADERS): the target has the name of these headers; the header that asks for
# it is ${CMAKE_CURRENT_BINARY_DIR}/same_version/same_version.h.
function(dcmrank_same_version target folder)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${folder}/*.h)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/same_version)
  set(script ${PROJECT_SOURCE_DIR}/cmake/same_version.cmake)
  add_custom_command(OUTPUT ${out}/same_version.cpp BYPRODUCTS ${out}/same_version.h
    COMMAND ${CMAKE_COMMAND} -DHEADERS=${folder} -DVERSION=${PROJECT_VERSION} -DOUT=${out} -P ${script}
    DEPENDS ${script} ${folder}/base/same_version.h.in ${headers}
    COMMENT "Naming the headers" VERBATIM)
  target_sources(${target} PRIVATE ${out}/same_version.cpp)
  set_source_files_properties(${out}/same_version.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
