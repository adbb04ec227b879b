/**
 * Off-heap memory: pools and leases, and what the requests of each client may have of them. Knows
 * nothing of requests or tensors; usable from any thread. Read {@link
 * io.nereid.server.memory.BufferPool} first, then {@link io.nereid.server.memory.SlabPool} and
 * {@link io.nereid.server.memory.RequestMemory}.
 */
@NullMarked
package io.nereid.server.memory;

import org.jspecify.annotations.NullMarked;
