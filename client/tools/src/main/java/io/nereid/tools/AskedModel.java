package io.nereid.tools;

import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.engine.EngineTransport;
import io.nereid.client.model.IndexEntry;
import io.nereid.client.model.ModelMetadata;
import io.nereid.engine.Engine;
import io.nereid.engine.EngineBuilder;
import io.nereid.tools.data.DataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A model that can be asked, of a server or of an engine in this process.
 *
 * @param version empty for the server's choice
 * @param engine of a model in a folder; closed with this, as the client is
 */
record AskedModel(
    NereidClient client,
    ModelMetadata metadata,
    Optional<Long> version,
    StatedConfig config,
    @Nullable Engine engine)
    implements AutoCloseable {
  private static final Pattern SETTING = Pattern.compile("([^,=]+),([^=]+)=(.*)");

  /** A model of a server. Takes the client. */
  static AskedModel at(NereidClient client, String name, Optional<Long> version) {
    try {
      ModelMetadata metadata = client.models().metadata(name, text(version));
      if (metadata.name().isEmpty()) {
        throw new DataException(
            "what answers is no server of models; by default HTTP is port 8000, gRPC 8001, and 8002 has metrics only");
      }
      return new AskedModel(client, metadata, version, config(client, name, version), null);
    } catch (NereidException failure) {
      NereidException said = withModels(failure, client, name);
      client.close();
      throw said;
    } catch (RuntimeException failure) {
      client.close();
      throw failure;
    }
  }

  /** The failure, with what the server has in place of a model that it does not know. */
  private static NereidException withModels(
      NereidException failure, NereidClient client, String name) {
    if (failure.code() != ErrorCode.NOT_FOUND && !failure.sentence().contains("unknown model")) {
      return failure;
    }
    try {
      List<IndexEntry> all = client.models().index();
      List<String> ready =
          all.stream().filter(IndexEntry::isReady).map(IndexEntry::name).distinct().toList();
      String said =
          all.stream()
              .filter(each -> each.name().equals(name) && !each.reason().isEmpty())
              .map(each -> "; it is %s: %s".formatted(each.state(), each.reason()))
              .findFirst()
              .orElse(
                  "; the server has "
                      + (ready.isEmpty() ? "no model" : DataException.listed(ready)));
      return new NereidException(
          failure.code(), failure.asked(), failure.sentence() + said, false, null, failure);
    } catch (NereidException _) { // of a server without the extension
      return failure;
    }
  }

  private static String text(Optional<Long> version) {
    return version.map(String::valueOf).orElse("");
  }

  /** By the extension for configurations, which Triton has. */
  private static StatedConfig config(NereidClient client, String name, Optional<Long> version) {
    try {
      return StatedConfig.of(client.models().config(name, text(version)));
    } catch (NereidException without) {
      if (without.code() == ErrorCode.UNAVAILABLE
          || without.code() == ErrorCode.DEADLINE_EXCEEDED) {
        throw without;
      }
      return StatedConfig.UNKNOWN;
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
    if (Files.isRegularFile(folder)) {
      String file = folder.getFileName().toString();
      String ending = file.contains(".") ? file.substring(file.lastIndexOf('.')) : "";
      String own = file.substring(0, file.length() - ending.length());
      throw new DataException(
          "'%s' is a file, and what is asked is a folder with one: mkdir %s && cp %s %s/model%s, and ask ./%s"
              .formatted(path, own, path, own, ending, own));
    }
    if (!Files.isDirectory(folder) || folder.getParent() == null) {
      throw new DataException("no folder of a model '%s'".formatted(path));
    }
    String name = folder.getFileName().toString();
    EngineBuilder builder = Engine.builder().startWith(name);
    if (isInRepository(folder)) {
      builder.repository(folder.getParent());
    } else {
      requireBare(path, folder, name);
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
      StatedConfig config = StatedConfig.of(engine.configuration(name));
      return new AskedModel(client, metadata, version, config, engine);
    } catch (RuntimeException failure) {
      client.close();
      engine.close();
      throw failure;
    }
  }

  /** Whether it has what a model's folder in a repository has: a configuration, or a version. */
  private static boolean isInRepository(Path folder) throws IOException {
    return Files.exists(folder.resolve("config.pbtxt"))
        || Files.exists(folder.resolve("configs"))
        || folders(folder).stream().anyMatch(each -> isVersion(each.getFileName().toString()));
  }

  private static boolean isVersion(String name) {
    return name.matches("[1-9]\\d*");
  }

  private static List<Path> folders(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(Files::isDirectory).sorted().toList();
    }
  }

  /** Refuses a version of a model, and a repository. */
  private static void requireBare(Path path, Path folder, String name) throws IOException {
    if (isVersion(name)) {
      throw new DataException(
          "'%s' is a version of a model: ask %s --model-version %s"
              .formatted(path, folder.getParent(), name));
    }
    for (Path each : folders(folder)) {
      if (isInRepository(each)) {
        throw new DataException(
            "'%s' is a repository of models: ask one of them, such as %s".formatted(path, each));
      }
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
