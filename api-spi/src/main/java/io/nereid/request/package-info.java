/**
 * One inference as a backend sees it: values, no wire form, no memory management. Read {@link
 * io.nereid.request.InferenceRequest}.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.request;
