import org.jspecify.annotations.NullMarked;

/** The client's calls to an engine in the same process. */
@NullMarked
module io.nereid.client.engine {
  requires transitive io.nereid.client;
  requires transitive io.nereid.engine;
  requires static org.jspecify;

  exports io.nereid.client.engine;
}
