/** Attacks on the gRPC listener, over HTTP/2 and above it. */
@NullMarked
package io.nereid.benchmarks.torture.attack.grpc;

import org.jspecify.annotations.NullMarked;
