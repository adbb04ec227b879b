/**
 * The gRPC front end on grpc-java's Netty transport. Inference runs on Netty's event loops, so
 * nothing there blocks: an event loop parses and submits a request, and the thread of the instance
 * that executed it sends the response. Calls that load or list models block, on virtual threads of
 * {@link io.nereid.server.grpc.PlainMethods}, the table of what is no inference. gRPC's types do
 * not leave this package. Read {@link io.nereid.server.grpc.GrpcTransport} first, then {@link
 * io.nereid.server.grpc.InferCall} and {@link io.nereid.server.grpc.StreamInferCall}.
 */
@NullMarked
package io.nereid.server.grpc;

import org.jspecify.annotations.NullMarked;
