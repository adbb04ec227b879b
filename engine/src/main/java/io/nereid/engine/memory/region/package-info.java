/**
 * Shared memory regions of clients: registered by name, read and written by system calls, or by the
 * backend that has opened them in memory of a GPU; never mapped. Knows nothing of requests, tensors
 * or protocols; usable from any thread. Read {@link io.nereid.engine.memory.region.SharedRegions}
 * first, then {@link io.nereid.engine.memory.region.RegionSlice}.
 */
@NullMarked
package io.nereid.engine.memory.region;

import org.jspecify.annotations.NullMarked;
