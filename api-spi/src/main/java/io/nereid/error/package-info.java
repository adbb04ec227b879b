/**
 * Failures of requests and of model loading: one exception with a code. Read {@link
 * io.nereid.error.InferenceException} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.error;
