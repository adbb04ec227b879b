/**
 * Counts of what the server has refused or ended because of a limit, for the metrics, and the log
 * of it: each kind once a minute at most, whatever the number of clients. Knows no limit and no
 * client. Any thread counts. Read {@link io.nereid.engine.telemetry.refusal.Refusals} first.
 */
@NullMarked
package io.nereid.engine.telemetry.refusal;

import org.jspecify.annotations.NullMarked;
