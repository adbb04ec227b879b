package io.nereid.tensorrt.library;

import java.util.List;
import java.util.Optional;

/** Whether this machine can run TensorRT's engines, and with which libraries. */
public sealed interface GpuSupport {
  /**
   * A machine that can. The libraries are open for the rest of the process; {@link #bind} lets the
   * generated bindings call them.
   *
   * @param cudart the CUDA runtime
   * @param driverVersion the newest CUDA version that the driver supports, such as 13000 for 13.0
   * @param runtimeVersion of {@code cudart}, in the same form
   * @param devices at least one, by id
   * @param nvinfer TensorRT
   * @param tensorRtVersion such as 101501 for 10.15.1
   * @param onnxParser for plans from ONNX files
   * @param plugins for plans with layers of TensorRT's plugin library
   */
  record Available(
      NativeLibrary cudart,
      int driverVersion,
      int runtimeVersion,
      List<GpuDevice> devices,
      NativeLibrary nvinfer,
      int tensorRtVersion,
      OptionalLibrary onnxParser,
      OptionalLibrary plugins)
      implements GpuSupport {
    public Available {
      devices = List.copyOf(devices);
    }

    /** Such as {@code 10.15.1}. */
    public String tensorRtText() {
      return Versions.tensorRt(tensorRtVersion);
    }

    /** Such as {@code 13.0}. */
    public String driverText() {
      return Versions.cuda(driverVersion);
    }

    /** Such as {@code 13.0}. */
    public String runtimeText() {
      return Versions.cuda(runtimeVersion);
    }

    /**
     * Binds the generated bindings to these libraries, for the rest of the process.
     *
     * @throws IllegalStateException if they are bound to others
     */
    public void bind() {
      LibraryLookup.bind("cudart", cudart.symbols());
      LibraryLookup.bind("nvinfer", nvinfer.symbols());
      onnxParser
          .library()
          .ifPresent(library -> LibraryLookup.bind("nvonnxparser", library.symbols()));
    }
  }

  /**
   * A machine that cannot.
   *
   * @param lack what is missing
   */
  record Unavailable(Lack lack) implements GpuSupport {
    static final String PREFIX = "TensorRT backend unavailable: ";

    /** One sentence that names cause and cure. */
    public String reason() {
      return PREFIX + lack;
    }
  }

  /**
   * What a search for a library has found.
   *
   * @param library open, if there is one
   * @param lack why there is none; empty if there is one
   */
  record OptionalLibrary(Optional<NativeLibrary> library, Optional<Lack> lack) {
    static OptionalLibrary of(NativeLibrary library) {
      return new OptionalLibrary(Optional.of(library), Optional.empty());
    }

    static OptionalLibrary missing(Lack lack) {
      return new OptionalLibrary(Optional.empty(), Optional.of(lack));
    }
  }
}
