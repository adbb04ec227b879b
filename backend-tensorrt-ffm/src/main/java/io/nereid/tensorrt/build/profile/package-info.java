/**
 * The optimisation profiles that a plan is built with: the ranges of its inputs, as parameters of a
 * model, its configuration and its ONNX file determine them. Nothing here knows TensorRT. Read
 * {@link io.nereid.tensorrt.build.profile.ProfileResolver} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.build.profile;
