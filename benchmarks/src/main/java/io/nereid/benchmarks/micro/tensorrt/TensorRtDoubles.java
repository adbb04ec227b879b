package io.nereid.benchmarks.micro.tensorrt;

import io.nereid.tensorrt.library.LibraryLookup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * The C doubles of CUDA and TensorRT, compiled once in a process. On them a call costs what Java
 * and the double cost; they say nothing of a GPU.
 */
final class TensorRtDoubles {
  /** A plan that adds and subtracts two inputs with any number of columns up to 64. */
  static final String PLAN =
      """
      nereid-plan
      version 101501
      gpu Double GPU
      name add_sub
      input INPUT0 FP32 [-1,-1]
      input INPUT1 FP32 [-1,-1]
      output OUTPUT0 FP32 [-1,-1] add INPUT0 INPUT1
      output OUTPUT1 FP32 [-1,-1] sub INPUT0 INPUT1
      range INPUT0 0 [1,1] [8,16] [8,64]
      range INPUT1 0 [1,1] [8,16] [8,64]
      """;

  private static final class Holder {
    static final TensorRtDoubles INSTANCE = compiled();
  }

  private final Path cudart;
  private final Path nvinfer;
  private final SymbolLookup calls;

  private TensorRtDoubles(NativeSources sources) {
    cudart = sources.compile("libcudart.so.13", "cudart_double.c", "-pthread");
    nvinfer = sources.compile("libnvinfer.so.10", "nvinfer_double.c", cudart.toString());
    Path loops =
        sources.compile("libcalls.so", "inference_calls.c", cudart.toString(), nvinfer.toString());
    calls = SymbolLookup.libraryLookup(loops, Arena.global());
  }

  private static TensorRtDoubles compiled() {
    try {
      var sources = new NativeSources();
      Runtime.getRuntime().addShutdownHook(new Thread(sources::close));
      return new TensorRtDoubles(sources);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The doubles, compiled at the first call. */
  static TensorRtDoubles get() {
    return Holder.INSTANCE;
  }

  Path cudart() {
    return cudart;
  }

  Path nvinfer() {
    return nvinfer;
  }

  /** A function of {@code inference_calls.c}. */
  MethodHandle function(String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(calls.findOrThrow(name), type);
  }

  /** Lets the bindings of the process call the doubles. */
  void bind() {
    LibraryLookup.bind("cudart", SymbolLookup.libraryLookup(cudart, Arena.global()));
    LibraryLookup.bind("nvinfer", SymbolLookup.libraryLookup(nvinfer, Arena.global()));
  }
}
