package io.nereid.server.http;

import io.nereid.server.codec.ClientHeader;
import io.nereid.server.codec.HeaderForwarding;
import io.nereid.server.http.connection.ListenerSettings;

/**
 * Settings of the REST front end.
 *
 * @param maxInputSize {@code --http-max-input-size}: the largest JSON, JSON tensor, raw body or
 *     decompressed body, in bytes
 * @param maxRequests {@code --http-max-requests}: inference requests in flight
 * @param forwarding {@code --http-header-forward-pattern}
 * @param clientHeader {@code --client-header}
 * @param origins {@code --http-cors-origin}
 * @param hasTextApi {@code --text-api}
 */
public record HttpSettings(
    ListenerSettings listener,
    long maxInputSize,
    int maxRequests,
    HeaderForwarding forwarding,
    ClientHeader clientHeader,
    CorsOrigins origins,
    boolean hasTextApi) {
  /** Settings without forwarding, for no browser. */
  public HttpSettings(ListenerSettings listener, long maxInputSize, int maxRequests) {
    this(
        listener,
        maxInputSize,
        maxRequests,
        HeaderForwarding.NONE,
        ClientHeader.NONE,
        CorsOrigins.NONE,
        /* hasTextApi= */ false);
  }
}
