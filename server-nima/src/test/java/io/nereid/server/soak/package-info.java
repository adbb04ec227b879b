/** The life cycle of models under load, for seconds in each build and for hours on demand. */
@NullMarked
package io.nereid.server.soak;

import org.jspecify.annotations.NullMarked;
