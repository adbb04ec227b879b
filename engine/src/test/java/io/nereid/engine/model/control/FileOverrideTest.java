package io.nereid.engine.model.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.repository.RepositoryChange;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FileOverrideTest {
  private static final RepositoryChange CHANGE = RepositoryChange.inPlace("r1", "r2");
  private static final String CONFIG =
      """
      {"backend": "files",
       "input": [{"name": "IN0", "data_type": "TYPE_UINT8", "dims": [-1]}],
       "output": [{"name": "OUT0", "data_type": "TYPE_UINT8", "dims": [-1]}],
       "parameters": {"release": {"string_value": "sent"}}}
      """;

  @Test
  void theFilesOfARequestServeUntilTheNextLoadWithoutThem() {
    var sent =
        new LoadParameters(
            Optional.of(CONFIG), Map.of("3/model.txt", ByteBuffer.wrap("the end".getBytes(UTF_8))));
    try (var server =
        new MemoryServer(ControlMode.EXPLICIT, CHANGE.start(), repository -> repository)) {
      server.load(LoadParameters.NONE);
      Optional<String> own = server.answer();
      server.load(sent);
      Optional<String> overridden = server.answer();
      server.load(LoadParameters.NONE);

      assertThat(own).isEqualTo(MemoryServer.complete(CHANGE.start()));
      assertThat(overridden).contains("release=sent 3/model.txt=the end");
      assertThat(server.answer()).isEqualTo(own);
    }
  }

  @Test
  void theBackendLearnsThatConfigurationOrFilesAreAClients() {
    var config = Optional.of(CONFIG.replace("\"release\"", "\"trust\": {}, \"release\""));
    Map<String, ByteBuffer> files =
        Map.of("3/model.txt", ByteBuffer.wrap("the end".getBytes(UTF_8)));
    try (var server =
        new MemoryServer(ControlMode.EXPLICIT, CHANGE.start(), repository -> repository)) {
      server.load(new LoadParameters(config, Map.of()));
      Optional<String> configured = server.answer();
      server.load(new LoadParameters(config, files));

      assertThat(configured.orElseThrow()).endsWith(" trust=CLIENT");
      assertThat(server.answer().orElseThrow()).endsWith(" trust=CLIENT");
    }
  }
}
