package io.nereid.server.http.route;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.server.http.body.ContentEncoding;
import java.net.URLEncoder;
import java.util.Locale;

/** Any path of a request, and any value of {@code Accept-Encoding}. */
class RouteFuzzTest {
  @FuzzTest
  void isParsed(byte[] input) {
    String path = "/" + new String(input, ISO_8859_1);
    FuzzedMemory.run(
        input,
        _ -> {
          if (Route.parse(path) instanceof Route.OfModel route) {
            assertThat(Route.parse(written(route))).isEqualTo(route);
            try {
              assertThat(route.versionNumber().isPresent()).isEqualTo(!route.version().isEmpty());
            } catch (InferenceException tooLarge) {
              assertThat(tooLarge.getMessage()).contains(route.version());
            }
          }
        });
  }

  private static String written(Route.OfModel route) {
    String version = route.version().isEmpty() ? "" : "/versions/" + route.version();
    String resource =
        route.resource() == Route.Resource.METADATA
            ? ""
            : "/" + route.resource().name().toLowerCase(Locale.ROOT);
    String model = URLEncoder.encode(route.model(), UTF_8).replace("+", "%20");
    return "/v2/models/" + model + version + resource;
  }

  @FuzzTest
  void choosesAnAcceptedEncoding(byte[] input) {
    String accepted = new String(input, ISO_8859_1);
    FuzzedMemory.run(
        input,
        _ -> {
          ContentEncoding chosen = ContentEncoding.choose(accepted);
          if (chosen != ContentEncoding.IDENTITY) {
            assertThat(accepted).contains(chosen.token());
          }
        });
  }
}
