import org.jspecify.annotations.NullMarked;

/** ONNX models, run by ONNX Runtime's C library. Found by its provider; exports nothing. */
@NullMarked
module io.nereid.backend.onnx {
  requires io.nereid.api;
  // For its resource, the native library: no class of it is loaded.
  requires com.microsoft.onnxruntime;
  requires static org.jspecify;

  provides io.nereid.spi.BackendProvider with
      io.nereid.onnx.OnnxBackendProvider;
}
