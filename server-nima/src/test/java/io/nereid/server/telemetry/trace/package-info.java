/** Traces of requests, and their settings, over both protocols. */
@NullMarked
package io.nereid.server.telemetry.trace;

import org.jspecify.annotations.NullMarked;
