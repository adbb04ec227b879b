package io.nereid.server.http.text;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.server.support.TextStandIn;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** A server of the text APIs with a stand-in for a model of each task. */
final class TextServer implements AutoCloseable {
  private final LocalServer server;

  /**
   * Starts one.
   *
   * @param options further ones of the command line
   */
  TextServer(Path repository, String... options) throws IOException {
    embedder(repository, "minilm");
    ModelOnDisk.of(
        repository,
        "ranker",
        TextStandIn.config(
            "rerank", "SCORE", "input { name: \"QUERY\" data_type: TYPE_STRING dims: [ 1 ] }"));
    ModelOnDisk.of(
        repository,
        "mood",
        TextStandIn.config(
            "classify",
            "SCORES",
            "parameters { key: \"labels\" value { string_value: \"[\\\"bad\\\",\\\"good\\\"]\" }"
                + " }"));
    server =
        new LocalServer(
            LocalServer.options(
                repository,
                Stream.concat(Stream.of("--text-api=true"), Stream.of(options))
                    .toArray(String[]::new)),
            new CheckedBufferPool());
  }

  /** Adds a model of embeddings to a repository. */
  static void embedder(Path repository, String name) {
    ModelOnDisk.of(
        repository,
        name,
        TextStandIn.config(
            "embedding",
            "EMBEDDING",
            """
            parameters { key: "max_length" value { string_value: "512" } }
            parameters { key: "pooling" value { string_value: "mean" } }
            parameters { key: "truncate" value { string_value: "true" } }
            """));
  }

  LocalServer server() {
    return server;
  }

  HttpWire.Response post(String path, String body) {
    return send("POST", path, body.getBytes(UTF_8), Map.of());
  }

  HttpWire.Response get(String path) {
    return send("GET", path, new byte[0], Map.of());
  }

  HttpWire.Response send(String method, String path, byte[] body, Map<String, String> headers) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send(method, path, body, headers);
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
