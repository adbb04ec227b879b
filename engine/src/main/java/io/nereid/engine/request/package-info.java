/**
 * The objects that pass between the stages: a request on its way to an instance, the queues that it
 * waits in, and its response on the way back. Knows no wire form, no policy and no model. One stage
 * at a time touches a request; its {@link io.nereid.engine.request.ResponsePromise} may be used by
 * any thread. Read {@link io.nereid.engine.request.PendingRequest} first.
 */
@NullMarked
package io.nereid.engine.request;

import org.jspecify.annotations.NullMarked;
