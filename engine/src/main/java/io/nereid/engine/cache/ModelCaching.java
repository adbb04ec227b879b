package io.nereid.engine.cache;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.telemetry.statistics.CacheStatistics;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.SequenceId;
import io.nereid.spi.cache.CacheEntry;
import io.nereid.spi.cache.CacheKey;
import io.nereid.spi.cache.Insertion;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The use of the response cache by one load of a model version. Thread-safe.
 *
 * <pre>{@code
 * InferenceResponse cached = caching.lookUp(request);
 * if (cached != null) {
 *   // respond with it; the request is not executed
 * } else {
 *   // execute the request; its response is inserted before it is sent
 * }
 * }</pre>
 */
public final class ModelCaching implements AutoCloseable {
  private final ResponseCaching caching;
  private final long generation;
  private final CacheStatistics statistics;
  private volatile boolean closed;

  ModelCaching(ResponseCaching caching, long generation, CacheStatistics statistics) {
    this.caching = caching;
    this.generation = generation;
    this.statistics = statistics;
  }

  /**
   * The cached response to a request, which the caller owns. If there is none, the response that
   * the request's promise gets will be inserted before it is passed on. A request that belongs to a
   * sequence is not looked up: its response may depend on those before it.
   *
   * @param request valid, not enqueued yet; borrowed
   */
  public @Nullable InferenceResponse lookUp(PendingRequest request) {
    if (!request.request().options().sequenceId().equals(SequenceId.NONE)) {
      return null;
    }
    try {
      return lookUp(request, request.request());
    } catch (RuntimeException bug) { // no client gets an error because of the cache
      caching.failed("a request was not looked up", bug);
      return null;
    }
  }

  private @Nullable InferenceResponse lookUp(PendingRequest pending, InferenceRequest request) {
    long start = caching.now();
    RequestContent content = RequestContent.of(request);
    CacheKey key = content.key(generation, caching.hash());
    Optional<InferenceResponse> cached = read(key, content, request);
    long end = caching.now();
    if (cached.isPresent()) {
      long arrival = pending.arrivalNanos();
      statistics.hit(end - arrival, start - arrival, end - start);
      return cached.get();
    }
    insertLater(pending, key, content, end - start);
    return null;
  }

  private Optional<InferenceResponse> read(
      CacheKey key, RequestContent content, InferenceRequest request) {
    Optional<CacheEntry> entry = caching.lookUp(key);
    if (entry.isEmpty()) {
      return Optional.empty();
    }
    Optional<InferenceResponse> response = Optional.empty();
    try {
      response = CachedResponse.read(entry.get(), content, request);
    } finally {
      if (response.isEmpty()) {
        entry.get().close();
      }
    }
    return response;
  }

  /**
   * Has the response inserted; the inputs are copied, since they are released before it is sent.
   */
  private void insertLater(
      PendingRequest pending, CacheKey key, RequestContent content, long lookUpNanos) {
    long byteSize = content.inputByteSize();
    Lease inputs = null;
    if (caching.hasRoomFor(byteSize)) {
      try {
        inputs = caching.pool().lease(byteSize);
      } catch (InferenceException exhausted) {
        caching.failed("a response will not be inserted", exhausted);
      }
    } else {
      caching.hasNoRoom(key);
    }
    PendingInsertion insertion;
    try {
      if (inputs != null) {
        content.copyInputs(inputs.segment());
      }
      insertion = new PendingInsertion(this, key, content.head(), inputs, lookUpNanos);
      pending.promise().receive(insertion.before(pending.promise().receiver()));
    } catch (Throwable noMemory) {
      if (inputs != null) {
        inputs.close();
      }
      throw noMemory;
    }
    pending.promise().onCancel(insertion::drop);
  }

  /**
   * Inserts a response and counts the miss.
   *
   * @param response null if it cannot be inserted
   * @param lookUpNanos the duration of the look-up
   */
  void insert(CacheKey key, @Nullable CachedResponse response, long lookUpNanos) {
    long start = caching.now();
    Insertion insertion = response == null ? Insertion.NO_ROOM : caching.insert(key, response);
    if (closed) { // a response that was on its way
      caching.remove(generation);
    }
    if (insertion != Insertion.ALREADY_EXISTS) {
      statistics.missed(lookUpNanos + caching.now() - start);
    }
  }

  /** Logs a failure to insert a response. */
  void failed(Throwable failure) {
    caching.failed("a response was not inserted", failure);
  }

  /** Removes the entries of this load. Called when all of its requests have ended. */
  @Override
  public void close() {
    closed = true;
    caching.remove(generation);
  }
}
