/**
 * The console: a page of the HTTP front end that shows what the server does and tries its models.
 * Its files are resources of this package, as they were written; its data are read from the engine
 * when a page asks, so nothing here costs while none is open. Runs on the connection's virtual
 * thread. Knows no handler of the protocol: a page sends its inference requests to the routes of
 * clients. Read {@link io.nereid.server.http.console.ConsoleRoutes} first.
 */
@NullMarked
package io.nereid.server.http.console;

import org.jspecify.annotations.NullMarked;
