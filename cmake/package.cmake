# `make package`: a .deb of all that is installed (README), for the system that it is built on. packaging/lint
# asks lintian what it thinks of it, and lists what is left, with reasons.
set(generated ${PROJECT_BINARY_DIR}/generated)
set(shells ${generated}/dcmrank.bash ${generated}/_dcmrank ${generated}/dcmrank.fish)
add_custom_command(OUTPUT ${generated}/man1/dcmrank.1 ${shells}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
  COMMAND dcmrank-cli man --out ${generated}/man1 > ${generated}/pages.log
  COMMAND dcmrank-cli completion bash > ${generated}/dcmrank.bash
  COMMAND dcmrank-cli completion zsh > ${generated}/_dcmrank
  COMMAND dcmrank-cli completion fish > ${generated}/dcmrank.fish
  DEPENDS dcmrank-cli COMMENT "Writing the manual and the completions" VERBATIM)
add_custom_target(dcmrank-manual DEPENDS ${generated}/man1/dcmrank.1 ${shells})

set(documents ${CMAKE_INSTALL_DATADIR}/doc/dcmrank)
# Programs of one's own, by one CMake file that builds them all.
install(DIRECTORY examples/own-policy DESTINATION ${documents}/examples)
install(DIRECTORY tests/extend/ DESTINATION ${documents}/examples/extend
        FILES_MATCHING PATTERN *.cpp PATTERN CMakeLists.txt PATTERN faults EXCLUDE)

option(DCMRANK_PACKAGE "Install the manual, the completions and the systemd unit, too" OFF)
if(NOT DCMRANK_PACKAGE)
  return()
endif()
# As Debian has it: pages and changes compressed, the same bytes every time.
set(texts ${generated}/texts)
configure_file(packaging/changelog.in ${generated}/changelog @ONLY)
add_custom_command(OUTPUT ${texts}/man1/dcmrank.1.gz
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${texts}
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${generated}/man1 ${texts}/man1
  COMMAND ${CMAKE_COMMAND} -E copy ${generated}/changelog ${texts}/changelog
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${texts}/NEWS
  COMMAND gzip -9nr ${texts}
  DEPENDS ${generated}/man1/dcmrank.1 ${generated}/changelog CHANGELOG.md
  COMMENT "Compressing the manual and the changes" VERBATIM)
add_custom_target(dcmrank-package ALL DEPENDS dcmrank-manual ${texts}/man1/dcmrank.1.gz)
# All functions of other libraries are looked up at the start; their addresses cannot be overwritten then.
target_link_options(dcmrank-cli PRIVATE LINKER:-z,relro,-z,now)

install(DIRECTORY ${texts}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${texts}/changelog.gz ${texts}/NEWS.gz packaging/copyright DESTINATION ${documents})
install(FILES ${generated}/dcmrank.bash RENAME dcmrank
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${generated}/_dcmrank DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${generated}/dcmrank.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
if(DCMRANK_SERVICE)
  install(FILES packaging/dcmrank.service DESTINATION lib/systemd/system)
endif()
# Program and libraries without the compiler's notes to itself; CPack takes out the program's symbols.
install(CODE "set(usr \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  file(GLOB libraries \"\${usr}/${CMAKE_INSTALL_LIBDIR}/libdcmrank*.a\")
  execute_process(COMMAND ${CMAKE_STRIP} --strip-debug --enable-deterministic-archives -R .comment
    \"\${usr}/${CMAKE_INSTALL_BINDIR}/dcmrank\" \${libraries} COMMAND_ERROR_IS_FATAL ANY)")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The dcmrank developers <dcmrank@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "learning to rank from clicks")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
# What programs of one's own need beside the library.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, pkg-config, libcli11-dev, libfmt-dev, nlohmann-json3-dev, \
zlib1g-dev, libzstd-dev, liblzma-dev, libbz2-dev, libsimdjson-dev, libhwy-dev, libtomlplusplus-dev")
set(CPACK_PACKAGE_DESCRIPTION "Simulates and compares policies that learn to rank from clicks, fits click\n\
models to search logs, and runs a service that ranks and learns.\n\
.\n\
With the C++ library, and examples of policies, click models, users and log\n\
formats of one's own.")
include(CPack)
