/**
 * A client of the running server that shows what it does: it sends handwritten digits over both
 * protocols. Knows nothing of the server but its ports. Read {@link io.nereid.demo.Demo}.
 */
@NullMarked
package io.nereid.demo;

import org.jspecify.annotations.NullMarked;
