# The sources of a room are compiled together, since most of a compiler's time is headers. Names in
# unnamed namespaces must differ within a room (and within its tests); make lint looks at every source
# by itself, too, so each still includes what it uses. -DDCMRANK_BATCHES=OFF is quicker for who changes one
# file again and again.

# dcmrank_batches(TARGET): a batch for each room (or folder) of the target's sources. It names them as the
# project does (CMake's own batches would name them by where this clone stands, which __FILE__, and so every
# test, would then have in it): another clone compiles the same bytes, and finds them in ccache.
function(dcmrank_batches target)
  if(NOT DCMRANK_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(compiled "")
  set(rooms "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE file)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${file}" generated)
    get_source_file_property(alone ${source} DCMRANK_ALONE)
    if(generated OR alone OR source MATCHES "^\\$<")
      list(APPEND compiled ${source})
    else()
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      cmake_path(GET file PARENT_PATH folder)
      cmake_path(GET folder FILENAME room)
      list(APPEND rooms ${room})
      string(APPEND batch_of_${room} "#include \"${file}\"\n")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  foreach(room IN LISTS rooms)
    set(batch ${CMAKE_CURRENT_BINARY_DIR}/${target}_batches/${room}.cpp)
    file(CONFIGURE OUTPUT ${batch} CONTENT "${batch_of_${room}}" @ONLY)
    list(APPEND compiled ${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${compiled}")
endfunction()

# Sources that include themselves once for each instruction set (Highway) stand alone. Vectors that are
# not optimised would take most of the sanitizers' time, and UndefinedBehaviorSanitizer has nothing to
# say of them.
function(dcmrank_apart)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} repeats REGEX "hwy/foreach_target.h" LIMIT_COUNT 1)
    if(repeats)
      set_source_files_properties(${source} PROPERTIES DCMRANK_ALONE ON)
      if(DCMRANK_SANITIZE)
        set(options -O1 -fno-sanitize=undefined)
        if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND DCMRANK_SANITIZE MATCHES "address")
          # Vectors on the stack double its time, checks in line make it four times as long to compile.
          list(APPEND options -mllvm -asan-stack=0 -mllvm -asan-instrumentation-with-call-threshold=0)
        endif()
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}")
      endif()
    endif()
  endforeach()
endfunction()
