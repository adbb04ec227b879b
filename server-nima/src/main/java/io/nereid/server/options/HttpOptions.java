package io.nereid.server.options;

import io.nereid.server.codec.HeaderForwarding;
import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.server.frontend.Listener;
import io.nereid.server.http.CorsOrigins;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of the HTTP front end. */
public final class HttpOptions {
  @Option(
      names = "--allow-http",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether to serve HTTP. Default: ${DEFAULT-VALUE}.")
  private boolean allowed = true;

  @Option(
      names = "--http-address",
      paramLabel = "<address>",
      converter = OptionConverters.Address.class,
      description = "Address to listen on for HTTP. Default: ${DEFAULT-VALUE}.")
  private String address = "0.0.0.0";

  @Option(
      names = "--http-port",
      paramLabel = "<port>",
      converter = OptionConverters.Port.class,
      description = "Port for HTTP; 0 for any free one. Default: ${DEFAULT-VALUE}.")
  private int port = 8000;

  @Option(
      names = "--http-max-input-size",
      paramLabel = "<bytes>",
      converter = OptionConverters.InputSize.class,
      description =
          "Largest JSON part, JSON tensor or raw body of an HTTP request. Default:"
              + " ${DEFAULT-VALUE}.")
  private long maxInputSize = JsonRequestReader.DEFAULT_MAX_INPUT_SIZE;

  @Option(
      names = "--reuse-http-port",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether other servers with this option may listen on the same port; the system divides"
              + " the connections. Default: ${DEFAULT-VALUE}.")
  private boolean reusesPort = false;

  @Option(
      names = "--http-header-forward-pattern",
      paramLabel = "<pattern>",
      converter = OptionConverters.Forwarding.class,
      description =
          "Regular expression: header fields in whose names it is found, in any letter case,"
              + " become parameters of their inference request. Default: none.")
  private HeaderForwarding forwarding = HeaderForwarding.NONE;

  @Option(
      names = "--http-cors-origin",
      paramLabel = "<origin>",
      description =
          "Origin, such as https://example.org, whose pages may send requests from a browser; * for"
              + " all. Repeatable. Default: none.")
  private List<String> corsOrigins = new ArrayList<>();

  public boolean isAllowed() {
    return allowed;
  }

  public Listener listener() {
    return new Listener("http", address, port, reusesPort);
  }

  public HeaderForwarding forwarding() {
    return forwarding;
  }

  public CorsOrigins origins() {
    return CorsOrigins.of(corsOrigins);
  }

  /** In bytes, of a JSON part, a JSON tensor or a raw body. */
  public long maxInputSize() {
    return maxInputSize;
  }
}
