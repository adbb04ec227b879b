/**
 * The search for the native libraries of CUDA and TensorRT, and what was found: {@link
 * io.nereid.tensorrt.library.GpuSupport}, or the sentence that says what is missing.
 *
 * <p>The search links the few functions that it needs itself, so that a search that fails leaves
 * nothing behind; the generated bindings are bound to the libraries afterwards. Any thread may
 * search. Read {@link io.nereid.tensorrt.library.NativeLibraries} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.library;
