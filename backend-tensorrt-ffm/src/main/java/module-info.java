import org.jspecify.annotations.NullMarked;

/** The TensorRT backend. It exports nothing; the server finds its provider. */
@NullMarked
module io.nereid.backend.tensorrt {
  requires io.nereid.api;
  requires static org.jspecify;

  provides io.nereid.spi.BackendProvider with
      io.nereid.tensorrt.TensorRtBackendProvider;
}
