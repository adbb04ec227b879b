package io.nereid.server.codec.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.request.Parameter;
import io.nereid.server.codec.Bodies;
import io.nereid.server.codec.json.control.RepositoryRequestReader;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests with very many parameters: in quadratic time they would take minutes. */
@Timeout(20)
class ManyParametersTest {
  private static final int COUNT = 1000;

  /** Files of a load have no limit of their own. */
  private static final int FILES = 16_000;

  private static final int MAX_INPUT_SIZE = 16 << 20;

  @RegisterExtension private final Bodies bodies = new Bodies();

  private static byte[] parameters(int count, String format, String rest) {
    return IntStream.range(0, count)
        .mapToObj(format::formatted)
        .collect(joining(",", "{\"parameters\":{", "}" + rest + "}"))
        .getBytes(UTF_8);
  }

  @Test
  void ofAnInferenceAreReadInTimeProportionalToTheirNumber() {
    byte[] body = parameters(COUNT, "\"parameter%06d\":1", "," + Bodies.INPUTS);
    var reader = new JsonRequestReader(MAX_INPUT_SIZE, SharedRegions.NONE);

    try (DecodedRequest request =
        reader.read(bodies.lease(body), body.length, "m", false, bodies.pool)) {
      assertThat(request.options().parameters()).hasSize(COUNT);
    }
  }

  @Test
  void ofALoadAreReadInTimeProportionalToTheirNumber() {
    byte[] body = parameters(FILES, "\"file:%06d\":\"AA==\"", "");

    try (Lease lease = bodies.lease(body)) {
      LoadParameters read = RepositoryRequestReader.loadParameters(lease.segment());
      assertThat(read.files()).hasSize(FILES);
    }
  }

  @Test
  void theFirstOfOneNameIsUsed() {
    try (DecodedRequest request =
        bodies.read("{\"parameters\":{\"k\":1,\"k\":\"two\"}," + Bodies.INPUTS + "}")) {
      assertThat(request.options().parameters()).containsEntry("k", new Parameter.OfLong(1));
    }
  }
}
