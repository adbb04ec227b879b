package io.nereid.server.frontend;

import java.util.List;

/**
 * The server's name, version and extensions, as in the server metadata.
 *
 * @param name {@code --id}
 * @param extensions the protocol extensions that this server supports
 */
public record ServerIdentity(String name, String version, List<String> extensions) {
  public ServerIdentity {
    extensions = List.copyOf(extensions);
  }
}
