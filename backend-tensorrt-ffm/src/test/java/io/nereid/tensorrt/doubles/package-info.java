/** The doubles of libcudart and libnvinfer: how tests compile, load and control them. */
@NullMarked
package io.nereid.tensorrt.doubles;

import org.jspecify.annotations.NullMarked;
