package io.nereid.engine.model.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A backend whose models answer each request with what they have read: the parameter {@code
 * release} of the configuration and the contents of their files. So a test sees from a response
 * whether its model was loaded from files that belong together. With a parameter {@code trust}, the
 * answer ends with how far the server trusts them.
 */
public final class FilesBackend implements BackendProvider {
  /** The file of a version; a model does not load if it is cut off, as most formats can tell. */
  private static final String MODEL_FILE = "model.txt";

  private static final Map<Path, Watch> WATCHES = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return "files";
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened();
  }

  /** A test's view of the loads of one model, from {@link #watch} until it is closed. */
  static final class Watch implements AutoCloseable {
    private final Path modelDirectory;
    private final AtomicInteger loads = new AtomicInteger();
    private volatile Runnable whileReading = () -> {};

    private Watch(Path modelDirectory) {
      this.modelDirectory = modelDirectory;
    }

    /** How often a version of the model was loaded, or failed to. */
    int loads() {
      return loads.get();
    }

    /** Runs an action whenever the model is about to read a file, or has read the last one. */
    void whileReading(Runnable action) {
      whileReading = action;
    }

    @Override
    public void close() {
      WATCHES.remove(modelDirectory);
    }
  }

  static Watch watch(Path modelDirectory) {
    var watch = new Watch(modelDirectory);
    WATCHES.put(modelDirectory, watch);
    return watch;
  }

  /** What a model of that directory answers if it was loaded from the files as they are. */
  static String answer(Path modelDirectory, long version, String release) {
    return answer(modelDirectory, version, release, () -> {});
  }

  private static String answer(
      Path modelDirectory, long version, String release, Runnable whileReading) {
    try {
      var text = new StringBuilder("release=" + release);
      for (Path file : files(modelDirectory, version)) {
        whileReading.run();
        text.append(' ').append(modelDirectory.relativize(file)).append('=');
        text.append(Files.readString(file));
      }
      whileReading.run();
      return text.toString();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** All but the configuration, other versions, and what is hidden. */
  private static List<Path> files(Path modelDirectory, long version) throws IOException {
    try (Stream<Path> paths = Files.walk(modelDirectory)) {
      return paths
          .filter(Files::isRegularFile)
          .filter(path -> {
            String first = modelDirectory.relativize(path).getName(0).toString();
            return !first.startsWith(".")
                && !first.equals("config.pbtxt")
                && (!first.matches("\\d+") || first.equals(Long.toString(version)));
          })
          .sorted()
          .toList();
    }
  }

  private record Opened() implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      Optional<Watch> watch = Optional.ofNullable(WATCHES.get(files.modelDirectory()));
      watch.ifPresent(present -> present.loads.incrementAndGet());
      Runnable whileReading = watch.map(present -> present.whileReading).orElse(() -> {});
      String release = config.parameters().getOrDefault("release", "");
      try {
        String answer = answer(files.modelDirectory(), files.version(), release, whileReading);
        if (config.parameters().containsKey("trust")) {
          answer += " trust=" + files.trust();
        }
        requireComplete(files.versionDirectory().resolve(MODEL_FILE));
        return new Loaded(answer.getBytes(UTF_8));
      } catch (IOException | UncheckedIOException failed) {
        throw InferenceException.invalid("failed to read the model: " + failed);
      }
    }

    private static void requireComplete(Path file) throws IOException {
      if (!Files.readString(file).endsWith("end")) {
        throw InferenceException.invalid("the model file is cut off: " + file);
      }
    }

    @Override
    public void close() {}
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Loaded(byte[] answer) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new Instance(answer);
    }

    @Override
    public void close() {}
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Instance(byte[] answer) implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      for (int index = 0; index < batch.size(); index++) {
        MemorySegment output =
            results.allocate(index, "OUT0", DataType.UINT8, Shape.of(answer.length), answer.length);
        Elements.copy(MemorySegment.ofArray(answer), output);
      }
    }

    @Override
    public void close() {}
  }
}
