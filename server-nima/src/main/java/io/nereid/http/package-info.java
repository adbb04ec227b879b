/**
 * The REST front end on Helidon. A virtual thread serves a connection: it reads a body into the
 * pool, has it decoded, submits it, waits, and encodes the answer. Helidon's types end here. Read
 * {@link io.nereid.http.HttpRouter} first, then {@link io.nereid.http.InferRoutes}.
 */
@NullMarked
package io.nereid.http;

import org.jspecify.annotations.NullMarked;
