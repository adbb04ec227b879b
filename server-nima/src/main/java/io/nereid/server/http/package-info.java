/**
 * The REST front end on Helidon. One virtual thread per connection reads a request's body into
 * pooled memory, decodes it, submits the request, waits for the response and encodes it. Types of
 * Helidon are in {@code http.connection} only. Read {@link io.nereid.server.http.HttpRouter} first,
 * then {@link io.nereid.server.http.inference.InferRoutes}.
 */
@NullMarked
package io.nereid.server.http;

import org.jspecify.annotations.NullMarked;
