# The man page and the bash completion are printed by the program itself, so that they say what --help says.
set(man_page "${CMAKE_BINARY_DIR}/gpuadapt.1")
set(completion "${CMAKE_BINARY_DIR}/gpuadapt.bash")
add_custom_command(OUTPUT "${man_page}" "${completion}"
    COMMAND gpuadapt --print-man > "${man_page}"
    COMMAND gpuadapt --print-completion > "${completion}"
    DEPENDS gpuadapt VERBATIM)
add_custom_target(documents ALL DEPENDS "${man_page}" "${completion}")
install(FILES "${man_page}" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES "${completion}" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gpuadapt)
