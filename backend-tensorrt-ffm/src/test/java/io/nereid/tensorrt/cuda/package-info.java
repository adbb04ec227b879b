/** Tests of the CUDA layer against a double of libcudart: no GPU takes part. */
@NullMarked
package io.nereid.tensorrt.cuda;

import org.jspecify.annotations.NullMarked;
