package io.nereid.engine.execution.batch;

import io.nereid.engine.request.PendingRequest;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelInstance;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An instance as its executions see it. Its functions are called by the thread that executes.
 *
 * @param holdsResources whether it holds resources of the rate limiter while it executes a batch
 * @param detached its detached requests
 * @param failure what every execution fails with; null while the instance can execute batches
 * @param onBatchFailed told that a batch has failed as a whole
 * @param onReturn run when the backend has returned, before requests are responded to
 * @param onReschedule takes each request that is to run again
 */
public record ExecutingInstance(
    String name,
    boolean holdsResources,
    DetachedRequests detached,
    Supplier<@Nullable InferenceException> failure,
    BiConsumer<ModelInstance, InferenceException> onBatchFailed,
    Runnable onReturn,
    Consumer<PendingRequest> onReschedule) {}
