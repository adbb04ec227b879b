/** Tests of how models are found on disk and configured. */
@NullMarked
package io.nereid.repository;

import org.jspecify.annotations.NullMarked;
