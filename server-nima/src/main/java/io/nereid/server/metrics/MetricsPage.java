package io.nereid.server.metrics;

import io.nereid.engine.cache.ResponseCaching;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.server.grpc.connection.GrpcConnections;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.metrics.exposition.ExpositionFormat;
import io.nereid.server.metrics.exposition.MetricWriter;
import io.nereid.server.metrics.gpu.GpuFamilies;
import io.nereid.server.metrics.gpu.GpuReading;
import io.nereid.server.telemetry.access.AccessLog;
import io.nereid.spi.metrics.MetricFamily;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * All metrics of the server on one page, written anew for each scrape. The counts of a model are
 * read once for a page, so its families agree with each other. Thread-safe.
 */
public final class MetricsPage {
  /**
   * The metrics that are written in addition to the fixed ones.
   *
   * @param counterLatencies whether to write sums of durations
   * @param phaseHistograms whether to write the histograms of the phases of requests
   * @param quantiles of the summaries, from 0 to 1, for the models that record them
   * @param cpu whether to write the machine's processor load and memory
   * @param interval for how long an observation of the machine is reused
   */
  public record Content(
      boolean counterLatencies,
      boolean phaseHistograms,
      List<Double> quantiles,
      boolean cpu,
      Duration interval) {
    public Content {
      quantiles = List.copyOf(quantiles);
    }
  }

  /**
   * What is measured.
   *
   * @param server supplies what the server is
   * @param models supplies the statistics of the loaded models, in the order of the samples
   * @param lifeCycle supplies the states of all models
   * @param backends supplies the metrics of the backends' own
   */
  public record Sources(
      Supplier<ServerStatus> server,
      Supplier<List<StatisticsSnapshot>> models,
      Supplier<LifeCycleSnapshot> lifeCycle,
      Supplier<List<MetricFamily>> backends,
      Memory memory,
      Clients clients,
      Gpus gpus) {}

  /**
   * What memory holds.
   *
   * @param caching the response cache, if the server has one
   */
  public record Memory(
      BufferPool pool, RequestMemory requests, Optional<ResponseCaching> caching) {}

  /**
   * Where requests come from, and what is recorded of them.
   *
   * @param http the listener of the REST protocol, if it is served
   * @param grpc the connections of gRPC, if it is served
   * @param accessLog if there is one
   * @param traces where the traces of requests go
   */
  public record Clients(
      Optional<HttpListener> http,
      Optional<GrpcConnections> grpc,
      Optional<AccessLog> accessLog,
      TraceSink traces) {}

  /**
   * The GPUs.
   *
   * @param readings supplies the last ones
   * @param uuids supplies those of the GPUs that are visible, by their numbers
   */
  public record Gpus(Supplier<List<GpuReading>> readings, Supplier<List<String>> uuids) {
    /** Of a machine whose GPUs are not measured. */
    public static final Gpus NONE = new Gpus(List::of, List::of);
  }

  private final Content content;
  private final Sources sources;
  private final MachineMetrics machine;
  private final JvmFamilies jvm = new JvmFamilies();
  private final ProcessFamilies process = new ProcessFamilies(Path.of("/proc/self/status"));

  /** A page of these metrics. */
  public MetricsPage(Content content, Sources sources) {
    this.content = content;
    this.sources = sources;
    this.machine =
        new MachineMetrics(Path.of("/proc/meminfo"), content.interval(), System::nanoTime);
  }

  /** The page in a format. */
  byte[] bytes(ExpositionFormat format) {
    MetricWriter writer = format.writer();
    List<String> gpuUuids = sources.gpus().uuids().get();
    List<MeasuredModel> models =
        sources.models().get().stream().map(counts -> MeasuredModel.of(counts, gpuUuids)).toList();
    ModelMetrics.write(writer, models, content.counterLatencies);
    ServerFamilies.write(writer, sources.server().get());
    LatencyFamilies.write(writer, models, content.quantiles);
    if (content.phaseHistograms) {
      DurationFamilies.write(writer, models);
    }
    BatchCostFamilies.write(writer, models);
    ServerFamilies.write(writer, sources.lifeCycle().get());
    sources.memory().caching().ifPresent(cache -> ServerFamilies.write(writer, cache));
    sources.clients().http().ifPresent(listener -> ConnectionFamilies.write(writer, listener));
    sources
        .clients()
        .grpc()
        .ifPresent(connections -> ConnectionFamilies.write(writer, connections));
    sources.clients().accessLog().ifPresent(log -> ServerFamilies.write(writer, log));
    if (content.cpu) {
      machine.write(writer);
    }
    GpuFamilies.write(writer, sources.gpus().readings().get());
    ServerFamilies.write(writer, sources.memory().pool(), sources.memory().requests());
    ServerFamilies.write(writer, sources.clients().traces());
    process.write(writer);
    jvm.write(writer);
    BackendFamilies.write(writer, sources.backends().get());
    return writer.bytes();
  }
}
