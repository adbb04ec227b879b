/**
 * Off-heap memory on loan. Knows nothing of requests or tensors; used from any thread. Read {@link
 * io.nereid.memory.BufferPool} first, then {@link io.nereid.memory.SlabPool}.
 */
@NullMarked
package io.nereid.memory;

import org.jspecify.annotations.NullMarked;
