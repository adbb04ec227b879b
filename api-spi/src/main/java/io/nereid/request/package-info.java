/**
 * A request as the server and its backends see it, independent of wire formats and memory
 * management. All types are immutable. Read {@link io.nereid.request.InferenceRequest} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.request;
