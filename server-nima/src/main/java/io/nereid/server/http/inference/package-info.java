/**
 * The handlers of inference: {@code infer}, {@code generate} and {@code generate_stream}, what they
 * have in common, and their limits. Runs on the connection's virtual thread, which waits for the
 * responses. Read {@link io.nereid.server.http.inference.HttpInference} first, then {@link
 * io.nereid.server.http.inference.InferRoutes}.
 */
@NullMarked
package io.nereid.server.http.inference;

import org.jspecify.annotations.NullMarked;
