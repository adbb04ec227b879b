/**
 * The gRPC front end on grpc-java's Netty transport, put together. Inference runs on Netty's event
 * loops, so nothing there blocks. gRPC's types do not leave this package and those below it. Read
 * {@link io.nereid.server.grpc.GrpcTransport} first, then {@link
 * io.nereid.server.grpc.inference.InferCall}.
 */
@NullMarked
package io.nereid.server.grpc;

import org.jspecify.annotations.NullMarked;
