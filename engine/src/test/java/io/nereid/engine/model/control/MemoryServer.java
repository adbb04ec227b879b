package io.nereid.engine.model.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.MemorySettings;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.loading.LoaderSettings;
import io.nereid.engine.model.loading.ModelUnderTest;
import io.nereid.engine.model.repository.Edit;
import io.nereid.engine.model.repository.MemoryRepository;
import io.nereid.engine.model.repository.ModelRepository;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.scheduling.FakeClock;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.support.Outcome;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A model manager of a repository in memory, which polls when a test tells it to. */
final class MemoryServer implements AutoCloseable {
  private static final Pattern RELEASE = Pattern.compile("string_value: \"(\\w+)\"");

  private final MemoryRepository repository = new MemoryRepository();
  private final ModelRegistry registry = new ModelRegistry();
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FakeClock clock = new FakeClock();
  private final BackendCatalog backends;
  private final RequestAdmission engine =
      new RequestAdmission(
          registry, clock, () -> true, Readiness.SERVING, MemorySettings.DEFAULT_MAX_STRINGS);
  private final ModelManager manager;

  /** Starts in poll mode with the repository that these edits lead to. */
  MemoryServer(List<Edit> start) {
    this(ControlMode.POLL, start, files -> files);
  }

  /**
   * @param wrapper decorates the repository that the manager reads
   */
  MemoryServer(ControlMode mode, List<Edit> start, UnaryOperator<ModelRepository> wrapper) {
    start.forEach(repository::apply);
    backends =
        new BackendCatalog(
            new PluginSettings(repository.path().resolve("no-such-folder"), Map.of()), List.of());
    var control =
        new ControlSettings(
            mode,
            List.of(),
            Duration.ZERO,
            Readiness.SERVING,
            false,
            TestControlSettings.loads(2),
            ConfigSettings.DEFAULT);
    manager =
        new ModelManager(
            List.of(wrapper.apply(repository.repository())),
            control,
            registry,
            LoaderSettings.of(engine::admit, backends, pool, 1 << 20, 16, clock));
    manager.loadAll();
  }

  void apply(Edit edit) {
    repository.apply(edit);
  }

  void load(LoadParameters parameters) {
    manager.load("m", parameters);
  }

  void poll() {
    manager.poll();
  }

  /** The directory of the model. */
  Path directory() {
    return repository.path().resolve("m");
  }

  /** What the model should answer if its directory is complete; empty if there is no model. */
  Optional<String> complete() {
    return complete(repository);
  }

  /** What the model should answer after these edits; empty if there is no model then. */
  static Optional<String> complete(List<Edit> edits) {
    try (var scratch = new MemoryRepository()) {
      edits.forEach(scratch::apply);
      return complete(scratch);
    }
  }

  private static Optional<String> complete(MemoryRepository repository) {
    Path model = repository.path().resolve("m");
    if (!Files.exists(model)) {
      return Optional.empty();
    }
    try {
      long version = Files.exists(model.resolve("2")) ? 2 : 1;
      Matcher release = RELEASE.matcher(Files.readString(model.resolve("config.pbtxt")));
      assertThat(release.find()).isTrue();
      return Optional.of(FilesBackend.answer(model, version, release.group(1)));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** What the model answers to a request; empty if it is not found. */
  Optional<String> answer() {
    return answer("m");
  }

  /** What a model or ensemble answers to a request; empty if it is not found. */
  Optional<String> answer(String name) {
    LoadedModel model;
    try {
      model = registry.find(name, OptionalLong.empty());
    } catch (InferenceException failure) {
      assertThat(failure.code()).isEqualTo(StatusCode.NOT_FOUND);
      return Optional.empty();
    }
    var input = new Tensor("IN0", DataType.UINT8, Shape.of(1), MemorySegment.ofArray(new byte[1]));
    var response = new ModelUnderTest(model, pool, engine).submit(TestRequest.of("", input));
    Outcome.Outputs outputs = response.await().responses().getFirst();
    assertThat(response.failure()).isEmpty();
    byte[] text =
        Objects.requireNonNull(outputs.tensors().get("OUT0")).data().toArray(Elements.BYTE);
    return Optional.of(new String(text, UTF_8));
  }

  @Override
  public void close() {
    manager.close();
    backends.close();
    repository.close();
    assertThat(pool.outstanding()).as("outstanding leases").isZero();
  }
}
