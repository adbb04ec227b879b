package io.nereid.benchmarks.torture.server;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * A server under attack.
 *
 * @param metrics where its metrics are; empty if unknown
 * @param pid its process; 0 if unknown
 */
public record Target(
    InetSocketAddress http,
    InetSocketAddress grpc,
    Optional<InetSocketAddress> metrics,
    long pid) {}
