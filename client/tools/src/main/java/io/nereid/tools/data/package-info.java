/**
 * Files of rows and arrays as tensors, and tensors as rows again. Knows no server, no engine and no
 * command; one thread uses each object. Read {@link io.nereid.tools.data.TensorFile} first.
 */
@NullMarked
package io.nereid.tools.data;

import org.jspecify.annotations.NullMarked;
