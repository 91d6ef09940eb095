# Sources compiled a dozen at a time, since most of a compiler's time is headers. Names in unnamed
# namespaces must differ within a library; make lint compiles every source by itself, so each still
# includes what it uses. -DDCMRANK_BATCHES=OFF is quicker for who changes one file again and again.
set(CMAKE_UNITY_BUILD ${DCMRANK_BATCHES})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

# Sources that include themselves once for each instruction set (Highway) stand alone.
function(dcmrank_apart)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} repeats REGEX "hwy/foreach_target.h" LIMIT_COUNT 1)
    if(repeats)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()
