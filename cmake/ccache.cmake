# Compiles through ccache where it is installed (cmake/compile); -DDCMRANK_CCACHE=OFF: not.
option(DCMRANK_CCACHE "Use ccache where it is installed" ON)
find_program(DCMRANK_CCACHE_PROGRAM ccache)
mark_as_advanced(DCMRANK_CCACHE_PROGRAM)
if(DCMRANK_CCACHE AND DCMRANK_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      sh ${PROJECT_SOURCE_DIR}/cmake/compile ${PROJECT_SOURCE_DIR} ${DCMRANK_CCACHE_PROGRAM})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  else()
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
