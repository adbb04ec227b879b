/** Tests of tensors, requests and repeats. */
@NullMarked
package io.nereid.client;

import org.jspecify.annotations.NullMarked;
