package io.nereid.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the configuration says of the models that the application serves itself.
 *
 * @param repository The directory with models.
 * @param models The models that are loaded at the start; all without it.
 * @param frontEnds Whether and where other programs may ask the models over HTTP and gRPC.
 */
@ConfigurationProperties("nereid.engine")
public record EngineProperties(
    String repository, @DefaultValue("*") List<String> models, @DefaultValue FrontEnds frontEnds) {

  /**
   * The front ends; they need io.nereid:nereid-server-nima.
   *
   * @param enabled Whether there are any.
   * @param address The address they listen on.
   * @param httpPort The port of HTTP; 0 for any free one.
   * @param grpcPort The port of gRPC; 0 for any free one.
   * @param exitTimeout How long their requests may take once the application ends.
   * @param options Other options of nereid serve, by their names.
   */
  public record FrontEnds(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("127.0.0.1") String address,
      @DefaultValue("8000") int httpPort,
      @DefaultValue("8001") int grpcPort,
      @DefaultValue("30s") Duration exitTimeout,
      @DefaultValue Map<String, String> options) {}
}
