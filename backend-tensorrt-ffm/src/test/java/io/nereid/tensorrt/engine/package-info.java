/** Tests of the TensorRT layer, against the doubles of libcudart and libnvinfer. */
@NullMarked
package io.nereid.tensorrt.engine;

import org.jspecify.annotations.NullMarked;
