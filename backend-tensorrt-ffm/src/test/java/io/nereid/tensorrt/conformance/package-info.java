/** Our headers of TensorRT compared with NVIDIA's. The comparison is not part of the build. */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.conformance;
