package io.nereid.tensorrt.library;

import java.lang.foreign.SymbolLookup;

/**
 * A library that is open for the rest of the process.
 *
 * @param path as the linker knows it
 */
public record NativeLibrary(String path, SymbolLookup symbols) {
  boolean has(String function) {
    return symbols.find(function).isPresent();
  }
}
