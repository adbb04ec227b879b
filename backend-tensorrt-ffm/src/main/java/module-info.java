import org.jspecify.annotations.NullMarked;

/** The TensorRT backend: a provider and nothing that others could depend on. */
@NullMarked
module io.nereid.backend.tensorrt {
  requires io.nereid.api;
  requires static org.jspecify;

  provides io.nereid.spi.BackendProvider with
      io.nereid.tensorrt.TensorRtBackendProvider;
}
