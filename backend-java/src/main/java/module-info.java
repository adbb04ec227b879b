import org.jspecify.annotations.NullMarked;

/**
 * The backend for models that are Java classes. It exports what their authors use, and its provider
 * for programs whose models are objects of their own; a server finds the provider.
 */
@NullMarked
module io.nereid.backend.java {
  requires transitive io.nereid.api;
  requires java.compiler;
  requires static org.jspecify;

  exports io.nereid.java;
  exports io.nereid.java.backend;

  provides io.nereid.spi.BackendProvider with
      io.nereid.java.backend.JavaBackendProvider;
}
