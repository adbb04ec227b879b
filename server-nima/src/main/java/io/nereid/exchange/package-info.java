/**
 * What travels between the stages: a request on its way to an instance, and its answer on the way
 * back. Knows no wire form and no scheduler. A request is touched by one stage at a time; its
 * {@link io.nereid.exchange.ResponsePromise} by all. Read {@link io.nereid.exchange.PendingRequest}
 * first.
 */
@NullMarked
package io.nereid.exchange;

import org.jspecify.annotations.NullMarked;
