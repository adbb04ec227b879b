import org.jspecify.annotations.NullMarked;

/** All that a backend author reads. Needs {@code java.base} only; never knows the server. */
@NullMarked
module io.nereid.api {
  requires static org.jspecify;

  exports io.nereid.config;
  exports io.nereid.error;
  exports io.nereid.request;
  exports io.nereid.spi;
  exports io.nereid.tensor;

  uses io.nereid.spi.BackendProvider;
}
