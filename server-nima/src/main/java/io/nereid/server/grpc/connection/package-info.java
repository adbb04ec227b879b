/**
 * The connections of the gRPC listener, below its calls: what one client, one connection and one
 * call may take of the server, and for how long. Knows HTTP/2 and Netty, and neither models nor
 * requests. Read {@link io.nereid.server.grpc.connection.GrpcLimits} first.
 */
@NullMarked
package io.nereid.server.grpc.connection;

import org.jspecify.annotations.NullMarked;
