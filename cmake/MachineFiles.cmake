# The machine files that ship inside the program.

# tileproof_embed_machine_files(TARGET FOLDER): a source, made from FOLDER/*.machine, that defines
# tileproof::machine::embedded_machine_files(). It is written again whenever one of the files changes.
function(tileproof_embed_machine_files target folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.machine)
  set(generated ${CMAKE_BINARY_DIR}/generated/embedded_machine_files.cpp)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUTPUT=${generated} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedMachineFiles.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/EmbedMachineFiles.cmake
    COMMENT "Embedding machine files"
    VERBATIM)
  target_sources(${target} PRIVATE ${generated})
endfunction()
