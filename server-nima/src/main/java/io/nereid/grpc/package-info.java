/**
 * The gRPC front end on grpc-java's Netty transport. Calls run on Netty's event loops, so nothing
 * here may block: a request is parsed, submitted, and answered by the thread of the instance that
 * ran it. gRPC's types end here. Read {@link io.nereid.grpc.GrpcTransport} first, then {@link
 * io.nereid.grpc.InferCall}, then {@link io.nereid.grpc.StreamInferCall} and what it names.
 */
@NullMarked
package io.nereid.grpc;

import org.jspecify.annotations.NullMarked;
