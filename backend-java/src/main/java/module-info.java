import org.jspecify.annotations.NullMarked;

/**
 * The backend for models that are Java classes. It exports what their authors use; the server finds
 * its provider.
 */
@NullMarked
module io.nereid.backend.java {
  requires transitive io.nereid.api;
  requires java.compiler;
  requires static org.jspecify;

  exports io.nereid.java;

  provides io.nereid.spi.BackendProvider with
      io.nereid.java.backend.JavaBackendProvider;
}
