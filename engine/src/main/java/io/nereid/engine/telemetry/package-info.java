/**
 * What clients may change of the settings of log and traces, and what is told the times of
 * executions.
 */
@NullMarked
package io.nereid.engine.telemetry;

import org.jspecify.annotations.NullMarked;
