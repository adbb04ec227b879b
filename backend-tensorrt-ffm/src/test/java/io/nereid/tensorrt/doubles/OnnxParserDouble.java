package io.nereid.tensorrt.doubles;

import io.nereid.tensorrt.library.LibraryLookup;
import java.lang.foreign.SymbolLookup;

/**
 * {@code nvonnxparser_double.c}, the double of libnvonnxparser that the bindings of this process
 * use. It fills networks of {@link NvinferDouble}; faults and call counts are those of {@link
 * CudartDouble}, under names such as {@code IParser_parseFromFile}.
 */
public final class OnnxParserDouble {
  private static final class Holder {
    static final OnnxParserDouble INSTANCE = new OnnxParserDouble();
  }

  private final SymbolLookup library;

  private OnnxParserDouble() {
    NvinferDouble.get();
    this.library =
        NativeDoubles.open("nvonnxparser_double.c", NvinferDouble.path(), CudartDouble.path());
    LibraryLookup.bind("nvonnxparser", library);
  }

  /** The double, compiled, loaded and bound by the first call, as that of libnvinfer is. */
  public static OnnxParserDouble get() {
    return Holder.INSTANCE;
  }

  /** The symbols of the library. */
  public SymbolLookup library() {
    return library;
  }
}
