# Compiles through ccache where it is installed; -DDCMRANK_CCACHE=OFF: not. Its settings are those
# that precompiled headers need, and that let another clone use what this one has compiled.
option(DCMRANK_CCACHE "Use ccache where it is installed" ON)
find_program(DCMRANK_CCACHE_PROGRAM ccache)
mark_as_advanced(DCMRANK_CCACHE_PROGRAM)
if(DCMRANK_CCACHE AND DCMRANK_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${DCMRANK_CCACHE_PROGRAM})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  else()
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
