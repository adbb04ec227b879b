/**
 * The connections of the gRPC listener, below its calls: they hold their clients to the {@link
 * io.nereid.server.grpc.limits}. Knows HTTP/2 and Netty, and neither models nor requests. Read
 * {@link io.nereid.server.grpc.connection.GrpcConnections} first.
 */
@NullMarked
package io.nereid.server.grpc.connection;

import org.jspecify.annotations.NullMarked;
