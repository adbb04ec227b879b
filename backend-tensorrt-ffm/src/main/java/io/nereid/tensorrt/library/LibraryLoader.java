package io.nereid.tensorrt.library;

/** Opens shared libraries. */
interface LibraryLoader {
  /**
   * Opens a library for the rest of the process.
   *
   * @param file a path, or a name without a slash, which the system's loader searches for
   * @throws LibraryLoadException if there is none, or it cannot be opened
   */
  NativeLibrary open(String file) throws LibraryLoadException;
}
