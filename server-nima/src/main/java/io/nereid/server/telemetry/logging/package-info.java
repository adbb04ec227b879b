/**
 * The settings of the log, which clients may change while the server runs. Knows no logger and no
 * wire form. Any thread changes them. Read {@link io.nereid.server.telemetry.logging.LogControl}
 * first.
 */
@NullMarked
package io.nereid.server.telemetry.logging;

import org.jspecify.annotations.NullMarked;
