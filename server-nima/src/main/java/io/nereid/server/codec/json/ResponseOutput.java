package io.nereid.server.codec.json;

import io.nereid.tensor.Tensor;

/**
 * An output as it goes out.
 *
 * @param tensor borrowed
 * @param binary as bytes behind the JSON instead of text in it
 */
public record ResponseOutput(Tensor tensor, boolean binary) {}
