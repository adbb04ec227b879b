package io.nereid.server.security;

import java.util.Optional;

/**
 * What a listener demands of its clients.
 *
 * @param tls empty for plain text
 */
public record ListenerSecurity(Optional<ServerTls> tls, RestrictedApis restrictedApis) {
  /** Plain text, and no call needs a header. */
  public static final ListenerSecurity NONE =
      new ListenerSecurity(Optional.empty(), RestrictedApis.NONE);
}
