import org.jspecify.annotations.NullMarked;

/** Memory that programs share with a server on the same machine. */
@NullMarked
module io.nereid.client.memory {
  requires transitive io.nereid.client;
  requires static org.jspecify;

  exports io.nereid.client.memory;
}
