package io.nereid.tensorrt.execution;

import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.PinnedMemory;
import io.nereid.tensorrt.cuda.PinnedPool;
import io.nereid.tensorrt.engine.CudaEngine;
import io.nereid.tensorrt.signature.PlanSignature;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * What the instances of a model on one device share.
 *
 * @param pinned page-locked memory for inputs
 * @param outputPool page-locked memory for outputs
 * @param usage bytes of device memory; an instance adds what it allocates
 * @param enqueueLock held from the first to the last call that enqueues work of a batch, so that
 *     the instances which share it enqueue one at a time; null if they need not
 */
public record SharedResources(
    CudaDevice device,
    CudaEngine engine,
    PlanSignature plan,
    PinnedMemory pinned,
    PinnedPool outputPool,
    AtomicLong usage,
    @Nullable Lock enqueueLock) {}
