package io.nereid.server.codec;

/**
 * A requested output.
 *
 * @param binary whether its bytes follow the JSON, instead of text in it
 * @param classCount the number of top classes to send in place of the output; 0 for the output
 */
public record OutputRequest(String name, boolean binary, long classCount) {}
