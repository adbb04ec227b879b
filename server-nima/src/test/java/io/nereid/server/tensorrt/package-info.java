/**
 * The TensorRT backend in the server, on doubles of CUDA and TensorRT: random requests, and a
 * failure of every call.
 */
@NullMarked
package io.nereid.server.tensorrt;

import org.jspecify.annotations.NullMarked;
