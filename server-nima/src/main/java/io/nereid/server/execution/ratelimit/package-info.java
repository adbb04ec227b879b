/**
 * The rate limiter: permits for instances that share limited resources. Knows an instance by the
 * resources that it needs, its priority and its executions, and nothing of threads, requests or
 * schedulers. From any thread. Read {@link io.nereid.server.execution.ratelimit.InstancePermit}
 * first, then {@link io.nereid.server.execution.ratelimit.ExecutionCountLimiter}.
 */
@NullMarked
package io.nereid.server.execution.ratelimit;

import org.jspecify.annotations.NullMarked;
