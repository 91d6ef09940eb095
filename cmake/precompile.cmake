# dcmrank_precompile(NAME [QUICKLY] HEADER... LIBS LIB...): headers that are compiled once for all targets that
# say target_precompile_headers(TARGET REUSE_FROM NAME). Such a target has the same flags, and at
# least the definitions of LIBS; definitions of its own are fine.
function(dcmrank_precompile name)
  cmake_parse_arguments(ARG "QUICKLY" "" "LIBS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Only a target's first source makes its headers compile.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  target_link_libraries(${name} PRIVATE dcmrank_flags ${ARG_LIBS})
  target_precompile_headers(${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_QUICKLY)
    dcmrank_build_quickly(${name})
  endif()
endfunction()
