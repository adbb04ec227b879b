/** Tests of errors. */
@NullMarked
package io.nereid.error;

import org.jspecify.annotations.NullMarked;
