/**
 * Our headers of TensorRT compared with NVIDIA's, and the committed bindings with what jextract
 * makes of our headers. Nothing here runs in the default build, except what needs neither.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.conformance;
