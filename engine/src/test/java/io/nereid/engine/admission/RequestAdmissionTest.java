package io.nereid.engine.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.MemorySettings;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.model.control.ModelManager;
import io.nereid.engine.model.control.TestControlSettings;
import io.nereid.engine.model.loading.LoaderSettings;
import io.nereid.engine.model.repository.LocalRepository;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.scheduling.Clock;
import io.nereid.engine.scheduling.FakeClock;
import io.nereid.error.StatusCode;
import io.nereid.request.InferenceRequest;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that the engine rejects, of clients and of ensembles' steps, and whether any came. */
class RequestAdmissionTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FakeClock clock = new FakeClock();
  private final ModelRegistry registry = new ModelRegistry();
  private final RequestAdmission engine =
      new RequestAdmission(
          registry, clock, () -> true, Readiness.SERVING, MemorySettings.DEFAULT_MAX_STRINGS);
  private final RecordedOutcome outcome = new RecordedOutcome();
  private BackendCatalog backends;
  private ModelManager manager;
  private LoadedModel model;

  @BeforeEach
  void load(@TempDir Path repository) {
    ModelOnDisk.of(
        repository,
        "m",
        """
        backend: "gate"
        input { name: "IN0" data_type: TYPE_STRING dims: [ -1 ] }
        output { name: "OUT0" data_type: TYPE_STRING dims: [ -1 ] }
        instance_group { count: 1 kind: KIND_CPU }
        """);
    backends =
        new BackendCatalog(
            new PluginSettings(repository.resolve("no-such-folder"), Map.of()), List.of());
    manager =
        new ModelManager(
            List.of(new LocalRepository(repository)),
            TestControlSettings.of(1),
            registry,
            LoaderSettings.of(engine::admit, backends, pool, 1 << 20, 16, clock));
    manager.loadAll();
    model = engine.model("m", OptionalLong.empty());
  }

  @AfterEach
  void close() {
    manager.close();
    backends.close();
    assertThat(pool.outstanding()).isZero();
  }

  /** Submits a request of one string, with that input name. */
  private void submit(String input, Lease lease) {
    submit(new Tensor(input, DataType.BYTES, Shape.of(1), lease.segment()), lease);
  }

  private void submit(Tensor tensor, Lease... leases) {
    submit(engine, tensor, leases);
  }

  private void submit(RequestAdmission to, Tensor tensor, Lease... leases) {
    var request =
        new DecodedRequest(
            "r", List.of(tensor), List.of(), RequestOptions.NONE, true, List.of(leases));
    to.submit(
        model,
        OptionalLong.empty(),
        request,
        new ResponsePromise(outcome),
        RequestAdmission.NO_LIMIT);
  }

  private void assertRejected(StatusCode code, String message) {
    assertThat(outcome.isRejected()).isTrue();
    assertThat(outcome.calls()).isEqualTo(1);
    assertThat(outcome.failure()).hasMessageContaining(message);
    assertThat(outcome.failure().code()).isEqualTo(code);
    assertThat(pool.outstanding()).isZero();
  }

  @Test
  void rejectsAnInvalidRequestOfAClient() {
    submit("IN1", pool.lease(4));

    assertRejected(StatusCode.INVALID_ARGUMENT, "unexpected inference input 'IN1' for model 'm'");
  }

  @Test
  void rejectsAnInvalidRequestOfAStep() {
    var request =
        new InferenceRequest(model.key(), "r", List.of(), List.of("OUT0"), RequestOptions.NONE);
    var ended = new AtomicInteger();
    var step =
        new PendingRequest(
                request,
                1,
                List.of(pool.lease(4)),
                ended::incrementAndGet,
                new ResponsePromise(outcome),
                0,
                RequestAdmission.NO_LIMIT)
            .asStep();

    engine.admit(model, step);

    assertRejected(StatusCode.INVALID_ARGUMENT, "expected 1 inputs but got 0 inputs");
    assertThat(ended).hasValue(1);
  }

  @Test
  void rejectsARequestWhoseValidationFailsUnexpectedly() {
    Lease stale = pool.lease(5);
    var tensor = new Tensor("IN0", DataType.BYTES, Shape.of(1), stale.segment());
    stale.close();

    submit(tensor);

    assertRejected(StatusCode.INTERNAL, "unexpected failure: ");
  }

  @Test
  void rejectsARequestThatFailsBeforeItsValidationAndReleasesIt() {
    Clock failing =
        new Clock() {
          @Override
          public long nanos() {
            throw new OutOfMemoryError("of a test");
          }

          @Override
          public Alarm alarm(Runnable action) {
            throw new AssertionError("no alarm is needed");
          }
        };
    Lease lease = pool.lease(4);

    submit(
        new RequestAdmission(
            registry, failing, () -> true, Readiness.SERVING, MemorySettings.DEFAULT_MAX_STRINGS),
        new Tensor("IN0", DataType.BYTES, Shape.of(1), lease.segment()),
        lease);

    assertRejected(StatusCode.RESOURCE_EXHAUSTED, "the server has no memory left for this now");
    assertThat(engine.wasIdle()).as("no request is in flight").isTrue();
  }

  @Test
  void rejectsARequestToAModelThatIsClosed() {
    manager.close();

    submit("IN0", pool.lease(4));

    assertRejected(
        StatusCode.NOT_FOUND, "Request for unknown model: 'm' has no available versions");
  }

  @Test
  void isIdleUntilAClientSendsARequest() {
    assertThat(engine.wasIdle()).isTrue();

    submit("IN1", pool.lease(4)); // it is rejected

    assertThat(engine.wasIdle()).isFalse();
    assertThat(engine.wasIdle()).isTrue();
  }

  @Test
  void isNotIdleWhileARequestIsInFlight() {
    assertThat(model.enter()).isTrue();
    assertThat(engine.wasIdle()).isFalse();
    assertThat(engine.wasIdle()).isFalse();

    model.leave();

    assertThat(engine.wasIdle()).isTrue();
  }
}
