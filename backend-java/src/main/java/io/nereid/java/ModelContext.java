package io.nereid.java;

import io.nereid.config.ModelConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.OwnCalls;
import io.nereid.spi.metrics.BackendMetrics;

/**
 * What a Java model gets when it is opened.
 *
 * @param config completed and checked
 * @param files where the model lies; {@link ModelFiles#versionDirectory} has its code
 * @param logger of the backend: its lines are in the server's log from INFO on. It outlives the
 *     model
 * @param metrics of this version; gone when it is closed
 * @param calls of other models on the model's own behalf, in {@link JavaModel#open} and by threads
 *     of the model, until it is closed
 */
public record ModelContext(
    ModelConfig config,
    ModelFiles files,
    System.Logger logger,
    BackendMetrics metrics,
    OwnCalls calls) {}
