package io.nereid.server.warmup;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.config.ModelConfiguration;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.ModelControl;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.model.loading.InstanceRuntime;
import io.nereid.engine.scheduling.SystemClock;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.utilization.LoadMeter;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.server.codec.LongWork;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.frontend.ServerIdentity;
import io.nereid.server.grpc.GrpcSettings;
import io.nereid.server.grpc.GrpcTransport;
import io.nereid.server.http.HttpSettings;
import io.nereid.server.http.HttpTransport;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.connection.ListenerSettings;
import io.nereid.server.security.ListenerSecurity;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A server of {@link WarmupModel#ALL} only, on free ports of the loopback address. */
final class WarmupServer implements AutoCloseable {
  private static final int QUEUE_CAPACITY = 64;
  private static final long POOL_BYTES = 16 << 20;
  private static final Duration STOP = Duration.ofSeconds(1);

  private final BufferPool pool = new SlabPool(new ArenaAllocator(), POOL_BYTES);
  private final SystemClock clock = SystemClock.start();
  private final List<LoadedModel> models;
  private final @Nullable HttpListener http;
  private final @Nullable GrpcTransport grpc;

  /**
   * Starts a server of one protocol or both.
   *
   * @throws IOException if no port of the loopback address can be bound
   */
  static WarmupServer start(boolean http, boolean grpc) throws IOException {
    var server = new WarmupServer(http, grpc);
    try {
      if (server.http != null) {
        var _ = server.http.start();
      }
      if (server.grpc != null) {
        var _ = server.grpc.start();
      }
      return server;
    } catch (IOException | RuntimeException failed) {
      server.close();
      throw failed;
    }
  }

  private WarmupServer(boolean http, boolean grpc) {
    var registry = new ModelRegistry();
    var admission = new RequestAdmission(registry, clock, () -> true);
    models = WarmupModel.ALL.stream().map(model -> load(model, admission)).toList();
    for (LoadedModel model : models) {
      ModelKey key = model.key();
      registry.update(
          Map.of(
              new ModelId("", key.name()), entry -> entry.serving(Map.of(key.version(), model))));
    }
    var services =
        new FrontEndServices(
            admission,
            new NoModelControl(),
            RuntimeSettings.detached(),
            new ServerIdentity("warm-up", "", List.of()),
            pool,
            new RequestMemory(POOL_BYTES, POOL_BYTES),
            SharedRegions.NONE,
            new LongWork(1),
            LoadMeter.of(registry::ready, clock::nanos));
    String address = InetAddress.getLoopbackAddress().getHostAddress();
    var listener = new ListenerSettings("HTTP of the warm-up", address, 0);
    this.http =
        http
            ? HttpTransport.listener(
                new HttpSettings(listener, POOL_BYTES, QUEUE_CAPACITY),
                ListenerSecurity.NONE,
                services)
            : null;
    this.grpc =
        grpc
            ? GrpcTransport.of(GrpcSettings.of(address, 0), ListenerSecurity.NONE, services)
            : null;
  }

  private LoadedModel load(WarmupModel model, RequestAdmission admission) {
    var key = new ModelKey(model.name(), 1);
    ModelConfiguration configuration = model.configuration();
    var statistics = new ModelStatistics(key, Map.of());
    InstanceRuntime runtime =
        InstanceRuntime.open(
            key,
            InstanceGroup.Settings.of(
                configuration.settings(), model, pool, clock::nanos, statistics),
            configuration.instances(),
            clock,
            QueueLimits.of(QUEUE_CAPACITY));
    return new LoadedModel(
        key, configuration, Map.of(), runtime, statistics, /* caching= */ null, admission::admit);
  }

  boolean servesHttp() {
    return http != null;
  }

  boolean servesGrpc() {
    return grpc != null;
  }

  int httpPort() {
    return Objects.requireNonNull(http, "HTTP is not served").port();
  }

  int grpcPort() {
    return Objects.requireNonNull(grpc, "gRPC is not served").port();
  }

  /** The requests that each model has executed. */
  List<Long> executed() {
    return models.stream().map(model -> model.statistics().inferenceCount()).toList();
  }

  @Override
  public void close() {
    if (http != null) {
      var _ = http.stop(STOP);
    }
    if (grpc != null) {
      var _ = grpc.stop(STOP);
    }
    models.forEach(LoadedModel::close);
    clock.close();
    pool.close();
  }

  /** No client loads or unloads models here, as where the control mode is not explicit. */
  private static final class NoModelControl implements ModelControl {
    @Override
    public List<ModelIndexEntry> index(boolean readyOnly) {
      return List.of();
    }

    @Override
    public List<ModelIndexEntry> known() {
      return List.of();
    }

    @Override
    public void requireLoadable(String model) {
      throw unavailable();
    }

    @Override
    public void requireUnloadable() {
      throw unavailable();
    }

    @Override
    public void load(String model, LoadParameters parameters) {
      throw unavailable();
    }

    @Override
    public void unload(String model, boolean unloadDependents) {
      throw unavailable();
    }

    private static InferenceException unavailable() {
      return InferenceException.unavailable("the server warms up");
    }
  }
}
