/** Servers, backends and clients that tests of several subjects share. */
@NullMarked
package io.nereid.server.support;

import org.jspecify.annotations.NullMarked;
