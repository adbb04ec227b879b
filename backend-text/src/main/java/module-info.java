import org.jspecify.annotations.NullMarked;

/** The backend for text models. It exports nothing; the server finds its provider. */
@NullMarked
module io.nereid.backend.text {
  requires com.google.gson;
  requires io.nereid.api;
  requires static org.jspecify;

  provides io.nereid.spi.BackendProvider with
      io.nereid.text.TextBackendProvider;
}
