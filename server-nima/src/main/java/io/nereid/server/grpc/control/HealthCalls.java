package io.nereid.server.grpc.control;

import io.grpc.ServerMethodDefinition;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.nereid.engine.thread.ThreadGuard;
import io.nereid.server.grpc.control.PlainCall.ResponseSink;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * gRPC's standard health service. It reports the server's readiness for every service name, as
 * Triton does. Readiness follows the models, and instances that fail, which tell no one; so it is
 * looked at ten times a second, and only while a client watches. Thread-safe.
 */
public final class HealthCalls implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofMillis(100);

  private final BooleanSupplier ready;
  private final ScheduledThreadPoolExecutor looks =
      new ScheduledThreadPoolExecutor(
          1,
          Thread.ofPlatform().daemon().name("grpc health").factory(),
          new ThreadPoolExecutor.DiscardPolicy()); // once it is closed
  private final ThreadGuard guard = new ThreadGuard("grpc health");
  private final AtomicBoolean looking = new AtomicBoolean();
  private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();

  public HealthCalls(BooleanSupplier ready) {
    this.ready = ready;
  }

  /** A client that watches, and what it was told last. */
  private static final class Watcher {
    private final ResponseSink<HealthCheckResponse> client;
    private ServingStatus told = ServingStatus.UNKNOWN;
    private boolean ended;

    Watcher(ResponseSink<HealthCheckResponse> client) {
      this.client = client;
    }

    synchronized void tell(ServingStatus status) {
      if (status != told && !ended) {
        told = status;
        client.send(response(status));
      }
    }

    synchronized void end() {
      ended = true;
    }
  }

  public List<ServerMethodDefinition<?, ?>> methods(PlainMethods of) {
    return List.of(
        of.always(HealthGrpc.getCheckMethod(), (_, _) -> response(status())),
        of.subscription(HealthGrpc.getWatchMethod(), (_, client) -> watch(client)));
  }

  /**
   * Sends the status at once, and then each change of it, until the client or the server leaves.
   *
   * @return ends it for the client
   */
  Runnable watch(ResponseSink<HealthCheckResponse> client) {
    var watcher = new Watcher(client);
    watchers.add(watcher);
    watcher.tell(status());
    startLooking();
    return () -> {
      watchers.remove(watcher);
      watcher.end();
    };
  }

  /** Looks for changes until no client watches. */
  private void startLooking() {
    if (!watchers.isEmpty() && looking.compareAndSet(false, true)) {
      scheduleLook();
    }
  }

  private void scheduleLook() {
    guard.runUntilDone(() -> {
      var _ = looks.schedule(this::look, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    });
  }

  private void look() {
    guard.run(this::update);
    if (watchers.isEmpty()) {
      looking.set(false);
      startLooking(); // a client may have come meanwhile
    } else {
      scheduleLook();
    }
  }

  /** Tells all watchers of a change. */
  public void update() {
    if (!watchers.isEmpty()) {
      ServingStatus status = status();
      watchers.forEach(watcher -> watcher.tell(status));
    }
  }

  private ServingStatus status() {
    return ready.getAsBoolean() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  private static HealthCheckResponse response(ServingStatus status) {
    return HealthCheckResponse.newBuilder().setStatus(status).build();
  }

  /** Ends the looks; the calls end with their connections. */
  @Override
  public void close() {
    looks.shutdownNow();
  }
}
