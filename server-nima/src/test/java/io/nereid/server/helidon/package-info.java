/**
 * The faults of Helidon's own HTTP/1.1 connection and listener that this server corrects or avoids,
 * each reproduced with a Helidon server. {@code docs/measurements/helidon.md} describes them.
 */
@NullMarked
package io.nereid.server.helidon;

import org.jspecify.annotations.NullMarked;
