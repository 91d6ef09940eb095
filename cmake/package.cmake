# `make package`: a .deb of all that is installed (README), for the system that it is built on.
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

option(DCMRANK_PACKAGE "Install the manual, the completions and the systemd unit, too" OFF)
if(DCMRANK_PACKAGE)
  set_target_properties(dcmrank-manual PROPERTIES EXCLUDE_FROM_ALL OFF)
  add_custom_target(dcmrank-package ALL DEPENDS dcmrank-manual)
  install(DIRECTORY ${generated}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${generated}/dcmrank.bash RENAME dcmrank
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${generated}/_dcmrank DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${generated}/dcmrank.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/dcmrank)
  # Programs of one's own, by one CMake file that builds them all.
  set(examples ${CMAKE_INSTALL_DATADIR}/doc/dcmrank/examples)
  install(DIRECTORY examples/own-policy DESTINATION ${examples})
  install(DIRECTORY tests/extend/ DESTINATION ${examples}/extend FILES_MATCHING PATTERN *.cpp PATTERN CMakeLists.txt)
  if(DCMRANK_SERVICE)
    install(FILES packaging/dcmrank.service DESTINATION lib/systemd/system)
  endif()
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_CONTACT "The dcmrank developers <dcmrank@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "learning to rank from clicks")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
  # What programs of one's own need beside the library.
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, pkg-config, libcli11-dev, libfmt-dev, nlohmann-json3-dev, \
zlib1g-dev, libzstd-dev, liblzma-dev, libbz2-dev, libsimdjson-dev, libhwy-dev, libtomlplusplus-dev")
  set(CPACK_PACKAGE_DESCRIPTION "Simulates and compares policies that learn to rank from clicks, fits click models\n\
to search logs, and runs a service that ranks and learns. With the C++ library.")
  include(CPack)
endif()
