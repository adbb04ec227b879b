/** The signals that the process gets. What they mean is not known here. */
@NullMarked
package io.nereid.server.signal;

import org.jspecify.annotations.NullMarked;
