/**
 * The gRPC front end on grpc-java's Netty transport. Calls run on Netty's event loops, so nothing
 * here blocks: an event loop parses and submits a request, and the thread of the instance that
 * executed it sends the response. gRPC's types do not leave this package. Read {@link
 * io.nereid.server.grpc.GrpcTransport} first, then {@link io.nereid.server.grpc.InferCall} and
 * {@link io.nereid.server.grpc.StreamInferCall}.
 */
@NullMarked
package io.nereid.server.grpc;

import org.jspecify.annotations.NullMarked;
