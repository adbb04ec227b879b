import org.jspecify.annotations.NullMarked;

/** The backend for ONNX models. It exports nothing; the server finds its provider. */
@NullMarked
module io.nereid.backend.onnx {
  requires io.nereid.api;
  // Only for the native library in its jar; none of its classes is loaded.
  requires com.microsoft.onnxruntime;
  requires static org.jspecify;

  provides io.nereid.spi.BackendProvider with
      io.nereid.onnx.OnnxBackendProvider;
}
