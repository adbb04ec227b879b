/** Backends that break their contract, each in a server of its own, beside good requests. */
@NullMarked
package io.nereid.server.hostile;

import org.jspecify.annotations.NullMarked;
