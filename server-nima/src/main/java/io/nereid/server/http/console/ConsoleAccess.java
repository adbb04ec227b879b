package io.nereid.server.http.console;

import io.nereid.server.http.connection.HttpRequest;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which pages may ask the console: its own. A page of another site that has its name resolve to
 * this machine (DNS rebinding) sends a {@code Host} that is not the server's, and a page that asks
 * across sites sends its own {@code Origin}.
 *
 * @param hosts names beside {@code localhost} and addresses, in lower case
 */
record ConsoleAccess(Set<String> hosts) {
  /** {@code host} or {@code host:port}, with the brackets of an IPv6 address (RFC 9110, 7.2). */
  private static final Pattern HOST = Pattern.compile("(\\[[^\\]]*]|[^:]*)(:\\d*)?");

  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

  /** Why a request is refused, as a sentence; empty if it may be answered. */
  Optional<String> obstacle(HttpRequest request) {
    String host = request.header("Host").orElse("").toLowerCase(Locale.ROOT);
    if (!isServer(host)) {
      return Optional.of(
          "the console is not served for host '%s'; --console-host permits a name".formatted(host));
    }
    return request
        .header("Origin")
        .filter(origin -> !isOf(origin.toLowerCase(Locale.ROOT), host))
        .map("the console is not served to pages of origin '%s'"::formatted);
  }

  private boolean isServer(String host) {
    var parts = HOST.matcher(host);
    if (!parts.matches()) {
      return false;
    }
    String name = parts.group(1);
    return name.startsWith("[")
        || IPV4.matcher(name).matches()
        || name.equals("localhost")
        || name.endsWith(".localhost")
        || hosts.contains(name);
  }

  private static boolean isOf(String origin, String host) {
    return origin.equals("http://" + host) || origin.equals("https://" + host);
  }
}
