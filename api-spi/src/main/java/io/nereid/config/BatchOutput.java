package io.nereid.config;

/**
 * {@code batch_output} of the kind {@code BATCH_SCATTER_WITH_INPUT_SHAPE}: an output that is cut up
 * by the shapes of an input.
 *
 * @param targetName the model's output
 * @param sourceInput each request's part is as large as this input of it
 */
public record BatchOutput(String targetName, String sourceInput) {}
