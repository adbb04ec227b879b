package io.nereid.server.http.console;

import java.util.Set;

/**
 * Settings of the console.
 *
 * @param control whether its pages offer to load and unload models
 * @param hosts names, in lower case, under which browsers may open it beside {@code localhost} and
 *     addresses
 */
public record ConsoleSettings(boolean control, Set<String> hosts) {
  public ConsoleSettings {
    hosts = Set.copyOf(hosts);
  }
}
