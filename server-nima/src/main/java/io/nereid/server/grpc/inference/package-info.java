/**
 * The methods of inference. An event loop parses and submits a request, and the thread that has
 * executed it sends the response: that of the instance, or the event loop if a short call is its
 * only one. Nothing here blocks. Read {@link io.nereid.server.grpc.inference.InferCall} first, then
 * {@link io.nereid.server.grpc.inference.StreamInferCall}.
 */
@NullMarked
package io.nereid.server.grpc.inference;

import org.jspecify.annotations.NullMarked;
