package io.nereid.tools;

import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.engine.EngineTransport;
import io.nereid.client.model.ModelMetadata;
import io.nereid.engine.Engine;
import io.nereid.engine.EngineBuilder;
import io.nereid.tools.data.DataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A model that can be asked, of a server or of an engine in this process.
 *
 * @param version empty for the server's choice
 * @param maxBatch the most rows of a request; 0 if the model has no batches; empty if the server
 *     does not say
 * @param engine of a model in a folder; closed with this, as the client is
 */
record AskedModel(
    NereidClient client,
    ModelMetadata metadata,
    Optional<Long> version,
    OptionalInt maxBatch,
    @Nullable Engine engine)
    implements AutoCloseable {
  private static final Pattern SETTING = Pattern.compile("([^,=]+),([^=]+)=(.*)");

  /** A model of a server. Takes the client. */
  static AskedModel at(NereidClient client, String name, Optional<Long> version) {
    try {
      ModelMetadata metadata = client.models().metadata(name, text(version));
      return new AskedModel(client, metadata, version, maxBatch(client, name, version), null);
    } catch (RuntimeException failure) {
      client.close();
      throw failure;
    }
  }

  private static String text(Optional<Long> version) {
    return version.map(String::valueOf).orElse("");
  }

  /** By the extension for configurations, which Triton has. */
  private static OptionalInt maxBatch(NereidClient client, String name, Optional<Long> version) {
    try {
      return client.models().config(name, text(version)).get("max_batch_size") instanceof Number max
          ? OptionalInt.of(max.intValue())
          : OptionalInt.of(0); // as protobuf's JSON leaves zeros out
    } catch (NereidException without) {
      if (without.code() == ErrorCode.UNAVAILABLE
          || without.code() == ErrorCode.DEADLINE_EXCEEDED) {
        throw without;
      }
      return OptionalInt.empty();
    }
  }

  /**
   * A model in a folder of a repository, or that is a folder of one model file.
   *
   * @param settings of backends, each {@code <backend>,<key>=<value>}
   * @throws DataException if there is no such folder
   */
  static AskedModel inFolder(Path path, Optional<Long> version, List<String> settings)
      throws IOException {
    Path folder = path.toAbsolutePath().normalize();
    if (!Files.isDirectory(folder) || folder.getParent() == null) {
      throw new DataException("no folder of a model '%s'".formatted(path));
    }
    String name = folder.getFileName().toString();
    EngineBuilder builder = Engine.builder().startWith(name);
    if (isInRepository(folder)) {
      builder.repository(folder.getParent());
    } else {
      builder.bareModel(folder, name);
    }
    String home = System.getProperty("nereid.home");
    if (home != null) {
      builder.backendDirectory(Path.of(home, "backends"));
    }
    for (String setting : settings) {
      Matcher parts = SETTING.matcher(setting);
      if (!parts.matches()) {
        throw new DataException(
            "--backend-config: expected <backend>,<key>=<value>, got '%s'".formatted(setting));
      }
      builder.backendSetting(parts.group(1), parts.group(2), parts.group(3));
    }
    Engine engine = builder.open();
    NereidClient client = EngineTransport.connect(engine);
    try {
      ModelMetadata metadata = client.models().metadata(name, text(version));
      int maxBatch = engine.configuration(name).maxBatchSize();
      return new AskedModel(client, metadata, version, OptionalInt.of(maxBatch), engine);
    } catch (RuntimeException failure) {
      client.close();
      engine.close();
      throw failure;
    }
  }

  /** Whether it has what a model's folder in a repository has: a configuration, or a version. */
  private static boolean isInRepository(Path folder) throws IOException {
    if (Files.exists(folder.resolve("config.pbtxt")) || Files.exists(folder.resolve("configs"))) {
      return true;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.anyMatch(
          file -> Files.isDirectory(file) && file.getFileName().toString().matches("[1-9]\\d*"));
    }
  }

  /** A request to it that is yet to be filled. */
  InferRequest.Builder request() {
    InferRequest.Builder request = InferRequest.to(metadata.name());
    version.ifPresent(request::version);
    return request;
  }

  @Override
  public void close() {
    client.close();
    if (engine != null) {
      engine.close();
    }
  }
}
