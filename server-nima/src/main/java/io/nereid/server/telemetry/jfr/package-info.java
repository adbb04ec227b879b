/**
 * Events for Java Flight Recorder, of the category {@code Nereid}. Knows nothing of who commits
 * them. While nothing is recorded, an event costs a check that the compiler turns into a constant.
 * Read {@link io.nereid.server.telemetry.jfr.BatchFormedEvent} first.
 */
@NullMarked
package io.nereid.server.telemetry.jfr;

import org.jspecify.annotations.NullMarked;
