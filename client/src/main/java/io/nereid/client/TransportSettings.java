package io.nereid.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a client's builder states about its transport.
 *
 * @param connectTimeout for a new connection
 * @param tls null for the JDK's own, if the address asks for TLS
 * @param gzip whether requests are compressed, and responses may be
 * @param jsonTensors whether tensors travel as JSON over REST
 * @param maxResponseBytes the longest response, uncompressed
 * @param connections how many there are at most over REST, and always over gRPC; 0 for the
 *     transport's own number
 */
public record TransportSettings(
    Duration connectTimeout,
    @Nullable Tls tls,
    boolean gzip,
    boolean jsonTensors,
    int maxResponseBytes,
    int connections) {}
