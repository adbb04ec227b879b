/**
 * Off-heap memory: pools and leases, and what the requests of each client may have of them. Knows
 * nothing of requests or tensors; usable from any thread. Read {@link
 * io.nereid.engine.memory.BufferPool} first, then {@link io.nereid.engine.memory.SlabPool} and
 * {@link io.nereid.engine.memory.RequestMemory}.
 */
@NullMarked
package io.nereid.engine.memory;

import org.jspecify.annotations.NullMarked;
