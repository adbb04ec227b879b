/** Tests of how models are found on disk and configured. */
@NullMarked
package io.nereid.server.model;

import org.jspecify.annotations.NullMarked;
