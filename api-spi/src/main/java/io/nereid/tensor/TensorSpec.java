package io.nereid.tensor;

/**
 * What a model says of one of its inputs or outputs.
 *
 * @param shape may hold {@link Shape#WILDCARD}
 */
public record TensorSpec(String name, DataType dataType, Shape shape) {}
