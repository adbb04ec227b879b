package io.nereid.server.execution.ratelimit;

import java.util.OptionalInt;

/**
 * How much of a resource there is, as an operator says it.
 *
 * @param count 0 or more
 * @param device on which there is so much; empty: on each
 */
public record ResourceLimit(String name, long count, OptionalInt device) {}
