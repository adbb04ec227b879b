package io.nereid.server.codec;

/**
 * An output that a request names.
 *
 * @param binary whether it wants the output's bytes behind the JSON instead of text in it
 * @param classCount the number of classes that it wants in place of the output; 0 for the output
 *     itself
 */
public record OutputRequest(String name, boolean binary, long classCount) {}
