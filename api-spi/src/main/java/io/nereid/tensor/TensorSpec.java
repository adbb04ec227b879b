package io.nereid.tensor;

/**
 * The name, type and shape of a model's input or output.
 *
 * @param shape may contain {@link Shape#WILDCARD}
 */
public record TensorSpec(String name, DataType dataType, Shape shape) {}
