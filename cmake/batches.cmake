# The sources of a room are compiled together, since most of a compiler's time is headers. Names in
# unnamed namespaces must differ within a room (and within its tests); make lint looks at every source
# by itself, too, so each still includes what it uses. -DDCMRANK_BATCHES=OFF is quicker for who changes one
# file again and again.
set(CMAKE_UNITY_BUILD ${DCMRANK_BATCHES})

# dcmrank_batches(TARGET): a batch for each folder that the target's sources stand in.
function(dcmrank_batches target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME room)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${room}_")
  endforeach()
endfunction()

# Sources that include themselves once for each instruction set (Highway) stand alone. Vectors that are
# not optimised would take most of the sanitizers' time, and UndefinedBehaviorSanitizer has nothing to
# say of them.
function(dcmrank_apart)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} repeats REGEX "hwy/foreach_target.h" LIMIT_COUNT 1)
    if(repeats)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      if(DCMRANK_SANITIZE)
        set(options -O1 -fno-sanitize=undefined)
        if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND DCMRANK_SANITIZE MATCHES "address")
          list(APPEND options -mllvm -asan-stack=0)  # vectors on the stack double its time
        endif()
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}")
      endif()
    endif()
  endforeach()
endfunction()
