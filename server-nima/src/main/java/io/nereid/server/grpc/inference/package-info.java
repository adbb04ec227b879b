/**
 * The methods of inference. An event loop parses and submits a request, and the thread of the
 * instance that executed it sends the response; nothing here blocks. Read {@link
 * io.nereid.server.grpc.inference.InferCall} first, then {@link
 * io.nereid.server.grpc.inference.StreamInferCall}.
 */
@NullMarked
package io.nereid.server.grpc.inference;

import org.jspecify.annotations.NullMarked;
