/**
 * The messages of inference, between gRPC's buffers and the codec. Small ones are parsed and
 * written by the thread that gRPC calls with, an event loop for requests; compressed and long ones
 * as {@link io.nereid.server.codec.LongWork}. Knows neither calls nor models. Read {@link
 * io.nereid.server.grpc.message.InferRequestMarshaller} first.
 */
@NullMarked
package io.nereid.server.grpc.message;

import org.jspecify.annotations.NullMarked;
