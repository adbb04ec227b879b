/**
 * The composition root: command line, start and shutdown. Depends on every other package of the
 * server; no package depends on it. Read {@link io.nereid.server.NereidServer} first.
 */
@NullMarked
package io.nereid.server;

import org.jspecify.annotations.NullMarked;
