/**
 * Whose turn it is, where instances share what there is not enough of. Knows instances by what they
 * ask for and how often they have run, and nothing of threads, requests or schedulers. From any
 * thread. Read {@link io.nereid.ratelimit.Turns} first, then {@link
 * io.nereid.ratelimit.ExecutionCountLimiter}.
 */
@NullMarked
package io.nereid.ratelimit;

import org.jspecify.annotations.NullMarked;
