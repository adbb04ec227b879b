/**
 * Meters of Micrometer. Knows the engine by its statistics only. Runs on the threads that read the
 * meters, and on those that load and unload models. {@link io.nereid.micrometer.EngineMetrics} is
 * read first.
 */
@NullMarked
package io.nereid.micrometer;

import org.jspecify.annotations.NullMarked;
