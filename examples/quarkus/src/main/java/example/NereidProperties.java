package example;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What {@code application.properties} says of the models. */
@ConfigMapping(prefix = "nereid.engine")
public interface NereidProperties {
  /** The directory with models. */
  Path repository();

  /** Those that serve; all without it. */
  @WithDefault("*")
  List<String> models();

  /** Whether other programs may ask them over HTTP and gRPC, too. */
  FrontEnds frontEnds();

  /** How long requests may take once the application ends. */
  @WithDefault("30s")
  Duration exitTimeout();

  /** Where the front ends listen, if they do; port 0 is any free one. */
  interface FrontEnds {
    @WithDefault("false")
    boolean enabled();

    @WithDefault("127.0.0.1")
    String address();

    @WithDefault("8000")
    int httpPort();

    @WithDefault("8001")
    int grpcPort();
  }
}
