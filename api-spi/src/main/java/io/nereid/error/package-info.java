/**
 * Failures of requests and of model loading: one exception with one of eight codes. Read {@link
 * io.nereid.error.InferenceException} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.error;
