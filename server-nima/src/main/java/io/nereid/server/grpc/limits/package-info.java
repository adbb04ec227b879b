/**
 * The limits of gRPC clients, each by itself: what there is of calls, frames, memory and time, what
 * was refused, and with which status. Knows no connection and no call. Read {@link
 * io.nereid.server.grpc.limits.GrpcLimits} first.
 */
@NullMarked
package io.nereid.server.grpc.limits;

import org.jspecify.annotations.NullMarked;
