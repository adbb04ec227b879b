/**
 * The routes of the REST protocol: which API and which methods a path has, and the responses
 * without tensors that all handlers send, errors among them. Knows no handler. Runs on the
 * connection's virtual thread. Read {@link io.nereid.server.http.route.Route} first.
 */
@NullMarked
package io.nereid.server.http.route;

import org.jspecify.annotations.NullMarked;
