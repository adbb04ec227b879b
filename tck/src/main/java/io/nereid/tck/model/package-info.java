/**
 * A backend and its models, opened, called and closed as the server does it: each call by a thread
 * of its kind and within a limit, so that one that hangs is a failure that names it. Used by the
 * test's thread, which waits for those threads. Read {@link io.nereid.tck.model.OpenModel} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.model;
