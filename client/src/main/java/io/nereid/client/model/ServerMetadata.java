package io.nereid.client.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a server is.
 *
 * @param extensions of the protocol that it has, such as {@code binary_tensor_data}
 */
public record ServerMetadata(String name, String version, List<String> extensions) {
  public ServerMetadata {
    extensions = List.copyOf(extensions);
  }

  /** For the client: reads what a transport got. */
  public static ServerMetadata of(@Nullable Object tree) {
    Tree server = Tree.of(tree);
    return new ServerMetadata(
        server.text("name"), server.text("version"), server.list("extensions", Tree::string));
  }
}
