package io.nereid.server.metrics;

import io.nereid.server.cache.ResponseCaching;
import io.nereid.server.grpc.connection.GrpcConnections;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.RequestMemory;
import io.nereid.server.telemetry.statistics.LifeCycleSnapshot;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** All metrics of the server in one text, written anew for each scrape. Thread-safe. */
public final class MetricsPage {
  /**
   * The metrics that are written in addition to the fixed ones.
   *
   * @param counterLatencies whether to write sums of durations
   * @param quantiles of the summaries, from 0 to 1, for the models that record them
   * @param cpu whether to write the machine's processor load and memory
   * @param interval for how long an observation of the machine is reused
   */
  public record Content(
      boolean counterLatencies, List<Double> quantiles, boolean cpu, Duration interval) {
    public Content {
      quantiles = List.copyOf(quantiles);
    }
  }

  private final Content content;
  private final Supplier<List<StatisticsSnapshot>> models;
  private final Supplier<LifeCycleSnapshot> lifeCycle;
  private final BufferPool pool;
  private final RequestMemory requestMemory;
  private final Optional<ResponseCaching> caching;
  private final Optional<HttpListener> http;
  private final Optional<GrpcConnections> grpc;
  private final MachineMetrics machine;

  /**
   * @param models supplies the statistics of the loaded models, in the order of the samples
   * @param lifeCycle supplies the states of all models
   * @param caching the response cache, if the server has one
   * @param http the listener of the REST protocol, if it is served
   * @param grpc the connections of gRPC, if it is served
   */
  public MetricsPage(
      Content content,
      Supplier<List<StatisticsSnapshot>> models,
      Supplier<LifeCycleSnapshot> lifeCycle,
      BufferPool pool,
      RequestMemory requestMemory,
      Optional<ResponseCaching> caching,
      Optional<HttpListener> http,
      Optional<GrpcConnections> grpc) {
    this.content = content;
    this.models = models;
    this.lifeCycle = lifeCycle;
    this.pool = pool;
    this.requestMemory = requestMemory;
    this.caching = caching;
    this.http = http;
    this.grpc = grpc;
    this.machine =
        new MachineMetrics(Path.of("/proc/meminfo"), content.interval(), System::nanoTime);
  }

  String text() {
    var writer = new PrometheusWriter();
    List<StatisticsSnapshot> snapshots = models.get();
    ModelMetrics.write(writer, snapshots, content.counterLatencies);
    LatencyFamilies.write(writer, snapshots, content.quantiles);
    LifeCycleFamilies.write(writer, lifeCycle.get());
    caching.ifPresent(cache -> CacheMetricsWriter.write(writer, cache));
    http.ifPresent(listener -> ConnectionFamilies.write(writer, listener));
    grpc.ifPresent(connections -> ConnectionFamilies.write(writer, connections));
    if (content.cpu) {
      machine.write(writer);
    }
    MemoryFamilies.write(writer, pool, requestMemory);
    return writer.text();
  }
}
