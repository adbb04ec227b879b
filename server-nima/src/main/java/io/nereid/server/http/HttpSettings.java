package io.nereid.server.http;

import io.nereid.server.http.connection.ListenerSettings;

/**
 * Settings of the REST front end.
 *
 * @param maxInputSize {@code --http-max-input-size}: the largest JSON, JSON tensor, raw body or
 *     decompressed body, in bytes
 * @param maxRequests {@code --http-max-requests}: inference requests in flight
 */
public record HttpSettings(ListenerSettings listener, long maxInputSize, int maxRequests) {}
