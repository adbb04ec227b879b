/**
 * Tensors: element types, shapes, and views of native memory. Nothing here allocates or frees
 * memory. All types are immutable and usable from any thread. Read {@link io.nereid.tensor.Tensor}
 * first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensor;
