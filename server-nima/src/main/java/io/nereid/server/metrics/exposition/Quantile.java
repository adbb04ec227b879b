package io.nereid.server.metrics.exposition;

import java.util.OptionalLong;

/**
 * A quantile of a summary.
 *
 * @param share from 0 to 1
 * @param value empty if there was no observation
 */
public record Quantile(double share, OptionalLong value) {}
