include(cmake/suites.cmake)

# dcmrank_test(NAME [UNOPTIMISED] [BY_SUITE] SOURCE... [LIBS LIB...] [TOGETHER SUITE...] [FIRST SUITE...]): one
# GoogleTest program; each of its tests is a CTest test, but for the suites that run together, because they share
# what takes long to start. BY_SUITE: all do, since each test is short. Tests stand beside the code they test.
# UNOPTIMISED: for tests that wait for another program. FIRST: suites (or patterns of tests) that take long or
# wait, which begin first, so that nothing waits for them alone at the end.
dcmrank_precompile(dcmrank_test_headers QUICKLY <fmt/format.h> <gtest/gtest.h> <nlohmann/json.hpp>
  LIBS fmt::fmt nlohmann_json::nlohmann_json Threads::Threads GTest::gtest_main)
# dcmrank_process(NAME PART COST FILTER): some tests of a program, in one process.
function(dcmrank_process name part cost filter)
  add_test(NAME ${name}.${part} COMMAND ${name} --gtest_brief=1 --gtest_filter=${filter})
  set_tests_properties(${name}.${part} PROPERTIES TIMEOUT 600 COST ${cost})
endfunction()
function(dcmrank_test name)
  cmake_parse_arguments(ARG "UNOPTIMISED;BY_SUITE" "" "LIBS;TOGETHER;FIRST" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  dcmrank_batches(${name})
  target_link_libraries(${name} PRIVATE dcmrank dcmrank_flags dcmrank_places GTest::gtest_main ${ARG_LIBS})
  if(ARG_UNOPTIMISED)
    target_compile_options(${name} PRIVATE -O0)
  else()
    target_precompile_headers(${name} REUSE_FROM dcmrank_test_headers)
    dcmrank_build_quickly(${name})  # what tests are about is built in the library
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(DCMRANK_SANITIZE)
    # Statistics over many runs and the last digits of functions: whatever code they run, other tests
    # run too.
    set(left_out "*Estimates*" "*ThompsonLists*" "ThompsonSelection.*Threshold*"
        "*ExactTo*"
        "DcmEm.Recovers*" "RepairedCounting.Climbs*" "KlUcbColumns.TellTheOrder*" "KlUcbBatch.HasTheBits*"
        "ArenaTest.*" "RobustPolicy.*Users*" "RobustPolicy.Doubts*" "RobustPolicy.*Look*" "*FindsTheParametersOfALog*"
        "Em.FindsAPosition*" "RandomWorld.Has*" "AttractionPosterior.*" "BetaDistribution.*"
        "BetaTail.Has*" "*Beta.HasItsMean*" "*ManyItems.AreLearned*" "*EveryInstructionSet*"
        "LogCommands.FitGivesTheSameBytes*" "CrossValidation.Finds*" "LogCommands.Choose*" "TopRank.Does*"
        "OpenBrowsing.Serves*" "Exp3Bandit.Draws*" "BrowsingFit.Finds*" "RobustPolicy.*BadLuck*"
        "Memory.OfAnswers*" "FleetCare.*" "FleetFaults.*Frozen" "FleetFaults.*Standby*" "FleetFaults.*Clock*"
        "Identified.*")
    # Tests of the service run under the sanitizer that sees what they are about, in release builds all of them do.
    if(DCMRANK_SANITIZE STREQUAL "thread")
      # AddressSanitizer's: one caller who asks for one thing after the other, what a request or a file says and how
      # it is refused, stores (which their one writer calls), options (which are read before there is a thread), how
      # much memory something takes. And what waits for SIGHUP, which ThreadSanitizer may keep back for good.
      list(APPEND left_out "KeyReload.*" "Log.IsOpenedAgain*" "Tls.StaysWhere*"
           "Tls.IsSpokenWithTheCertificateOf*" "KeysOfTheService.*" "Rates.GoOnWhere*"
           "Stores/StoredText.*" "Stores/StoredImpressions.*"
           "Stores/StoredSums.*" "Stores/StoredTogether.*"
           "Config.*" "Damage.*" "FleetMigration.*" "Memory.*" "BadInput.*" "Http.*" "FullDisk.*"
           "Attack.ByDamage*"
           "Learning.*" "Knowledge.*" "Import.*" "Tenants.*" "Carried.*" "PossibleSums.*" "SqliteFolder.*"
           "WrongClock.*" "FolderOfOthers.*")
    else()
      # ThreadSanitizer's: several servers or many callers at once, who waits for whom, what is killed meanwhile.
      list(APPEND left_out "FleetLocked.*" "FleetFaults.*" "FleetTrouble.*" "FleetUnfinished.*" "FleetModels.*"
           "FleetErasure.*" "FleetSameId.*" "Fleet.*" "PostgresLostCommit.*" "Load.*" "Traffic.*" "Crowd.*"
           "LargeErasure.*" "Unused.*")
      # Commands that run for long in code that the tests of the library run, too, and pictures, most of whose time
      # is gnuplot's.
      list(APPEND left_out "SimulateParts.GoOnAfterAKill" "Pictures.*")
    endif()
    # A few processes, since starting one takes longer than most tests. What waits begins first, and what
    # shares a PostgreSQL is together, as in other builds.
    set(together ${ARG_TOGETHER})
    list(TRANSFORM together APPEND ".*")
    set(apart ${ARG_FIRST} ${together})
    foreach(suite IN LISTS left_out)
      if(suite MATCHES "^([A-Za-z/]+)\\.\\*$")
        list(FILTER apart EXCLUDE REGEX "^${CMAKE_MATCH_1}\\.")
      endif()
    endforeach()
    list(JOIN left_out ":" left_out)
    foreach(some IN LISTS apart)
      string(REGEX REPLACE "\\.?\\*$" "" part ${some})
      dcmrank_process(${name} ${part} 2 "${some}-${left_out}")
    endforeach()
    list(JOIN apart ":" apart)
    set(parts 8)
    math(EXPR last "${parts} - 1")
    foreach(part RANGE ${last})
      dcmrank_process(${name} ${part} $<BOOL:${ARG_UNOPTIMISED}> "-${left_out}:${apart}")
      set_tests_properties(${name}.${part} PROPERTIES
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${part}")
    endforeach()
    return()
  endif()
  foreach(suite IN LISTS ARG_TOGETHER)
    add_test(NAME ${suite} COMMAND ${name} --gtest_brief=1 --gtest_filter=${suite}.*)
    set_tests_properties(${suite} PROPERTIES TIMEOUT 600 COST 1)
  endforeach()
  list(TRANSFORM ARG_TOGETHER APPEND ".*")
  list(JOIN ARG_FIRST ":" first)
  list(JOIN ARG_TOGETHER ":" apart)
  if(first)
    gtest_discover_tests(${name} TEST_FILTER "${first}-${apart}" TEST_LIST ${name}_first
      DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 COST 2)
    string(APPEND apart ":${first}")
  endif()
  if(ARG_BY_SUITE)
    dcmrank_discover_suites(${name} "-${apart}")
  else()
    gtest_discover_tests(${name} TEST_FILTER "-${apart}" DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
  endif()
endfunction()
