/**
 * Off-heap memory: pools and leases. Knows nothing of requests or tensors; usable from any thread.
 * Read {@link io.nereid.server.memory.BufferPool} first, then {@link
 * io.nereid.server.memory.SlabPool}.
 */
@NullMarked
package io.nereid.server.memory;

import org.jspecify.annotations.NullMarked;
