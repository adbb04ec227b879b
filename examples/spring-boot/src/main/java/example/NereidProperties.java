package example;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code application.properties} says of the models.
 *
 * @param repository the directory with models
 * @param models those that serve; all without it
 * @param frontEnds whether other programs may ask them over HTTP and gRPC, too
 * @param exitTimeout how long their requests may take once the application ends
 */
@ConfigurationProperties("nereid")
public record NereidProperties(
    String repository,
    @DefaultValue("*") List<String> models,
    @DefaultValue FrontEnds frontEnds,
    @DefaultValue("30s") Duration exitTimeout) {

  /** Where they listen, if they do; port 0 is any free one. */
  public record FrontEnds(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("127.0.0.1") String address,
      @DefaultValue("8000") int httpPort,
      @DefaultValue("8001") int grpcPort) {}
}
