/** Servers that are told to stop, while requests, loads and connections are open. */
@NullMarked
package io.nereid.server.shutdown;

import org.jspecify.annotations.NullMarked;
