package io.nereid.server.options.frontend;

import io.nereid.server.codec.HeaderForwarding;
import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.server.frontend.Listener;
import io.nereid.server.http.CorsOrigins;
import io.nereid.server.http.console.ConsoleSettings;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.util.List;
import java.util.Optional;

/** The options of the HTTP front end. */
public final class HttpOptions extends OptionGroup {
  private final OptionValue<Boolean> allowed =
      toggle("--allow-http", true).help("Whether to serve HTTP.");

  private final OptionValue<String> address =
      option("--http-address=<address>", OptionConverters::address, "0.0.0.0")
          .help("Address to listen on for HTTP.");

  private final OptionValue<Integer> port =
      option("--http-port=<port>", OptionConverters::port, 8000)
          .help("Port for HTTP; 0 for any free one.");

  private final OptionValue<Long> maxInputSize =
      option(
              "--http-max-input-size=<bytes>",
              OptionConverters::inputSize,
              JsonRequestReader.DEFAULT_MAX_INPUT_SIZE)
          .help("Largest JSON part, JSON tensor or raw body of an HTTP request.");

  private final OptionValue<Boolean> reusesPort =
      toggle("--reuse-http-port", false)
          .help(
              "Whether other servers with this option may listen on the same port; the system"
                  + " divides the connections.");

  private final OptionValue<HeaderForwarding> forwarding =
      option(
              "--http-header-forward-pattern=<pattern>",
              OptionConverters::forwarding,
              HeaderForwarding.NONE)
          .help(
              "Regular expression: header fields in whose names it is found, in any letter case,"
                  + " become parameters of their inference request. Default: none.");

  private final OptionValue<List<String>> corsOrigins =
      list("--http-cors-origin=<origin>", text -> text)
          .help(
              "Origin, such as https://example.org, whose pages may send requests from a browser; *"
                  + " for all. Repeatable. Default: none.");

  private final OptionValue<Boolean> textApi =
      toggle("--text-api", null)
          .help(
              "Whether to serve text models to clients of OpenAI's embeddings, of"
                  + " text-embeddings-inference and of rerankers, at /v1/embeddings, /embed,"
                  + " /rerank and others. Default: true with --text-model, else false.");

  private final ConsoleOptions console = include(new ConsoleOptions());

  public boolean isAllowed() {
    return allowed.get();
  }

  public Listener listener() {
    return new Listener("http", address.get(), port.get(), reusesPort.get());
  }

  /** Whether text models have the APIs of others; empty where it follows from the models. */
  public Optional<Boolean> textApi() {
    return textApi.given();
  }

  /** Empty unless the console is served. */
  public Optional<ConsoleSettings> console() {
    return console.settings();
  }

  public HeaderForwarding forwarding() {
    return forwarding.get();
  }

  public CorsOrigins origins() {
    return CorsOrigins.of(corsOrigins.get());
  }

  /** In bytes, of a JSON part, a JSON tensor or a raw body. */
  public long maxInputSize() {
    return maxInputSize.get();
  }
}
