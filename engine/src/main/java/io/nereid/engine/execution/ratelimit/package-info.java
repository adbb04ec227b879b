/**
 * The rate limiter: permits for instances that share limited resources. An instance is known by the
 * resources that it needs, its priority and its executions; threads, requests and schedulers are
 * not known here. Safe for use by any thread. Read {@link
 * io.nereid.engine.execution.ratelimit.InstancePermit} first, then {@link
 * io.nereid.engine.execution.ratelimit.ExecutionCountLimiter}.
 */
@NullMarked
package io.nereid.engine.execution.ratelimit;

import org.jspecify.annotations.NullMarked;
