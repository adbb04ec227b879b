package io.nereid.config;

/**
 * {@code batch_output} of kind {@code BATCH_SCATTER_WITH_INPUT_SHAPE}: an output that the server
 * splits among the requests by the shapes of one of their inputs instead of by rows.
 *
 * @param targetName the model's output
 * @param sourceInput the input whose shape in a request is the shape of that request's part
 */
public record BatchOutput(String targetName, String sourceInput) {}
