package io.nereid.server.engine;

import java.util.List;

/**
 * What the server says of itself.
 *
 * @param name {@code --id}
 * @param extensions of the protocol that this server speaks
 */
public record ServerIdentity(String name, String version, List<String> extensions) {
  public ServerIdentity {
    extensions = List.copyOf(extensions);
  }
}
