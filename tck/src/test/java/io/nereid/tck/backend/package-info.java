/** Broken backends, and the verifications that catch them. Read {@link BrokenBackendsTest}. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.backend;
