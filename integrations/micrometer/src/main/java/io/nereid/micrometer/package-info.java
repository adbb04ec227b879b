/**
 * Meters and observations of Micrometer. Knows the engine by its statistics, and the client by its
 * interceptors. Runs on the threads that read the meters, that load and unload models, and that
 * make calls. {@link io.nereid.micrometer.EngineMetrics} and {@link
 * io.nereid.micrometer.ClientObservation} are read first.
 */
@NullMarked
package io.nereid.micrometer;

import org.jspecify.annotations.NullMarked;
