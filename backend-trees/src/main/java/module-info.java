import org.jspecify.annotations.NullMarked;

/** The backend for decision trees. It exports nothing; the server finds its provider. */
@NullMarked
module io.nereid.backend.trees {
  requires io.nereid.api;
  requires static org.jspecify;

  provides io.nereid.spi.BackendProvider with
      io.nereid.trees.TreesBackendProvider;
}
