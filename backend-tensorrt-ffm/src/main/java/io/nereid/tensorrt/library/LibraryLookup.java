package io.nereid.tensorrt.library;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The symbols of the libraries that the generated bindings call. A binding asks for a symbol when
 * one of its functions is first called, so the library must be bound before that; until then the
 * constants and layouts of the bindings can be used. Thread-safe.
 */
public final class LibraryLookup {
  private static final Map<String, SymbolLookup> BOUND = new ConcurrentHashMap<>();

  private LibraryLookup() {}

  /**
   * The lookup of a binding: that of the library which is bound when a symbol is looked up.
   *
   * @param binding such as {@code cudart}
   */
  public static SymbolLookup of(String binding) {
    return symbol -> find(binding, symbol);
  }

  private static Optional<MemorySegment> find(String binding, String symbol) {
    SymbolLookup library = BOUND.get(binding);
    return library == null ? Optional.empty() : library.find(symbol);
  }

  /**
   * Binds a library for the rest of the process: its functions are linked once.
   *
   * @throws IllegalStateException if another library is bound already
   */
  public static void bind(String binding, SymbolLookup library) {
    SymbolLookup before = BOUND.putIfAbsent(binding, library);
    if (before != null && address(binding, before) != address(binding, library)) {
      throw new IllegalStateException("another library is bound as " + binding);
    }
  }

  /** The address of a function that tells libraries apart; of one library there may be lookups. */
  private static long address(String binding, SymbolLookup library) {
    String function =
        switch (binding) {
          case "cudart" -> "cudaGetDeviceCount";
          case "nvinfer" -> "getInferLibVersion";
          case "nvonnxparser" -> "getNvOnnxParserVersion";
          default -> throw new IllegalArgumentException("no binding has the name " + binding);
        };
    return library.findOrThrow(function).address();
  }
}
