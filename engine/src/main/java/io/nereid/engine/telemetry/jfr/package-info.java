/**
 * Events for Java Flight Recorder, of the category {@code Nereid}. Knows no scheduler and no
 * instance. An event that is not enabled costs a check that the compiler turns into a constant.
 * Read {@link io.nereid.engine.telemetry.jfr.BatchFormedEvent} first.
 */
@NullMarked
package io.nereid.engine.telemetry.jfr;

import org.jspecify.annotations.NullMarked;
