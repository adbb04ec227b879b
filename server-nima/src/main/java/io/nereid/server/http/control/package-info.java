/**
 * The handlers of all that is no inference: health, metadata, statistics, settings, shared memory
 * and the model repository. Runs on the connection's virtual thread, which waits until a model is
 * loaded. Read {@link io.nereid.server.http.control.StatusRoutes} first.
 */
@NullMarked
package io.nereid.server.http.control;

import org.jspecify.annotations.NullMarked;
