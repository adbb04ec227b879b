package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.ManagerUnderTest;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.model.control.TestControlSettings;
import io.nereid.engine.model.loading.ModelUnderTest;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.error.InferenceException;
import io.nereid.request.SequenceId;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.scheduler.TestResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A model manager in explicit mode, with a repository of models of the backend {@code lifecycle}.
 * After each test all models are closed, each copy once.
 */
@Timeout(180)
abstract class LifecycleTests extends ManagerUnderTest {
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  @TempDir Path directory;
  ControlledRepository repository;

  @BeforeEach
  void createRepository() {
    repository = new ControlledRepository(directory);
  }

  @Override
  protected List<Path> repositories() {
    return List.of(directory);
  }

  @Override
  protected ControlSettings control() {
    return explicit(List.of());
  }

  static ControlSettings explicit(List<String> startupModels) {
    return control(ControlMode.EXPLICIT, startupModels, false);
  }

  static ControlSettings control(
      ControlMode mode, List<String> startupModels, boolean namespacing) {
    return new ControlSettings(
        mode,
        startupModels,
        Duration.ZERO,
        Readiness.SERVING,
        namespacing,
        TestControlSettings.loads(4),
        ConfigSettings.DEFAULT);
  }

  @AfterEach
  @Override
  protected void close() {
    ModelLoads.releaseAll();
    try {
      super.close();
      ModelLoads.assertAllClosed();
    } finally {
      ModelLoads.forgetAll();
    }
  }

  final void load(String model) {
    manager.load(model, new LoadParameters(Optional.empty(), Map.of()));
  }

  /** Loads a model with a configuration of its own, in JSON. */
  final void loadWith(String model, String config) {
    manager.load(model, new LoadParameters(Optional.of(config), Map.of()));
  }

  /** Loads a model with a configuration and files of its own. */
  final void loadWith(String model, String config, Map<String, ByteBuffer> files) {
    manager.load(model, new LoadParameters(Optional.of(config), files));
  }

  final InferenceException loadFailure(String model) {
    return failure(() -> load(model));
  }

  static InferenceException failure(Runnable call) {
    InferenceException failure = catchThrowableOfType(InferenceException.class, call::run);
    assertThat(failure).as("failure").isNotNull();
    return failure;
  }

  final void unload(String model) {
    manager.unload(model, false);
  }

  /** The rows of the index: name, version, state and reason. */
  final List<String> index() {
    return index(false);
  }

  final List<String> index(boolean readyOnly) {
    return manager.index(readyOnly).stream().map(LifecycleTests::text).toList();
  }

  /** The models that are known, as rows. */
  final List<String> known() {
    return manager.known().stream().map(LifecycleTests::text).toList();
  }

  private static String text(ModelIndexEntry row) {
    var text = new StringBuilder(row.name());
    row.version().ifPresent(version -> text.append(' ').append(version));
    row.state().ifPresent(state -> text.append(' ').append(state));
    return text.append(row.reason().isEmpty() ? "" : " " + row.reason()).toString();
  }

  /** Waits until the index has these rows. */
  final void awaitIndex(String... rows) {
    try {
      await(() -> index().equals(List.of(rows)), "the index");
    } catch (AssertionError expired) {
      assertThat(index()).containsExactly(rows);
    }
  }

  static ModelLoads loads(String model) {
    return ModelLoads.of(model);
  }

  /** The gate of a model's executions. */
  static Gate gate(String model) {
    return Gate.of(model);
  }

  /** Submits a request to the newest version, as a client does. */
  final TestResponse submit(String model, String id) {
    return submit(model, OptionalLong.empty(), id);
  }

  /** Submits a request of the test to the newest version. */
  final TestResponse submit(String model, TestRequest request) {
    return submit(engine.model(model, OptionalLong.empty()), OptionalLong.empty(), request);
  }

  final TestResponse submit(String model, long version, String id) {
    return submit(model, OptionalLong.of(version), id);
  }

  private TestResponse submit(String model, OptionalLong version, String id) {
    return submit(engine.model(model, version), version, id);
  }

  /** Submits a request whose version was looked up before. */
  final TestResponse submit(LoadedModel model, OptionalLong version, String id) {
    return submit(model, version, request(id));
  }

  /** Submits a request of a sequence to the newest version. */
  final TestResponse submit(String model, String id, long sequence, boolean start, boolean end) {
    return submit(
        engine.model(model, OptionalLong.empty()),
        OptionalLong.empty(),
        request(id).inSequence(new SequenceId.OfNumber(sequence), start, end));
  }

  private static TestRequest request(String id) {
    return TestRequest.of(id, TestRequest.fp32("IN0", 1, 4));
  }

  private TestResponse submit(LoadedModel model, OptionalLong version, TestRequest request) {
    return new ModelUnderTest(model, pool, engine).submit(request, version);
  }

  /** Has a model execute a request, and waits for the response. */
  final void execute(String model, String id) {
    TestResponse response = submit(model, id);
    gate(model).open(1);
    assertThat(response.await().failure()).isEmpty();
  }

  /** Submits a request, and waits until its execution is held by the gate. */
  final TestResponse submitHeld(String model, String id) {
    int begun = gate(model).executions().size();
    TestResponse response = submit(model, id);
    gate(model).awaitBegun(begun + 1);
    return response;
  }

  /** Waits until so many requests of a version have succeeded; they count after the response. */
  final void awaitSuccesses(String model, long version, long count) {
    await(() -> statistics(model, version).requests().success().count() >= count, "successes");
    assertThat(statistics(model, version).requests().success().count()).isEqualTo(count);
  }

  static void await(BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + MAX_WAIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited for " + what);
      }
      Thread.onSpinWait();
    }
  }

  final StatisticsSnapshot statistics(String model, long version) {
    return registry.ready(model, OptionalLong.of(version)).getFirst().statistics();
  }
}
