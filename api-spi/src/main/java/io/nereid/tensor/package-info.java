/**
 * What a tensor is: element type, shape, and bytes in off-heap memory. Values and views, no memory
 * management, usable from any thread. Read {@link io.nereid.tensor.Tensor} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensor;
