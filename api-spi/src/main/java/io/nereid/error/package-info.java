/**
 * How anything fails: one exception, one of eight codes. Read {@link
 * io.nereid.error.InferenceException} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.error;
