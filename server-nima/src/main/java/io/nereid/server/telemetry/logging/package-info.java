/**
 * The log of the process: its settings, which clients may change while the server runs, and the
 * handler, format and levels that make lines of records. Knows no request. Any thread logs and
 * changes settings. Read {@link io.nereid.server.telemetry.logging.LogControl} first.
 */
@NullMarked
package io.nereid.server.telemetry.logging;

import org.jspecify.annotations.NullMarked;
