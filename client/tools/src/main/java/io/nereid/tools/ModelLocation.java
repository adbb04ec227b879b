package io.nereid.tools;

import io.nereid.client.ClientBuilder;
import io.nereid.client.NereidClient;
import io.nereid.client.Tls;
import io.nereid.tools.data.DataException;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Which model is asked, and where it is. */
final class ModelLocation {
  private static final URI DEFAULT_SERVER = URI.create("http://127.0.0.1:8000");
  private static final double NANOS_PER_SECOND = 1e9;

  @Parameters(
      paramLabel = "<model>",
      description = {
        "The name of a model of the server; of infer and verify also the path of a model's folder,"
            + " with a '/', such as models/credit or ./credit, which is loaded in this process,"
            + " without a server."
      })
  private String model = "";

  @Option(
      names = "--server",
      paramLabel = "<url>",
      converter = Address.class,
      description =
          "Where the server is: http, https, grpc or grpcs. Default: http://127.0.0.1:8000.")
  private Optional<URI> server = Optional.empty();

  @Option(
      names = "--model-version",
      paramLabel = "<number>",
      description = "A version of the model. Default: the server's choice.")
  private Optional<Long> version = Optional.empty();

  @Option(
      names = "--root-cert",
      paramLabel = "<file>",
      description = "Certificates in PEM that the server's is checked with. Default: the JDK's.")
  private Optional<Path> roots = Optional.empty();

  @Option(
      names = "--request-header",
      paramLabel = "<name>=<value>",
      description = "A header, or gRPC metadata, of each request. Repeatable.")
  private Map<String, String> headers = new LinkedHashMap<>();

  @Option(
      names = "--timeout",
      paramLabel = "<seconds>",
      defaultValue = "60",
      description = "How long a request may take. Default: ${DEFAULT-VALUE}.")
  private double timeout;

  @Option(
      names = "--backend-config",
      paramLabel = "<backend>,<key>=<value>",
      description =
          "Of infer and verify, for a folder: a setting of a backend, as of serve. Repeatable.")
  private List<String> settings = List.of();

  /** A URL with its scheme. */
  private static final class Address implements ITypeConverter<URI> {
    @Override
    public URI convert(String text) {
      if (text.contains(":") && !text.contains("://")) {
        throw new TypeConversionException(
            "'%s' has no scheme: write http://%s".formatted(text, text));
      }
      return URI.create(text);
    }
  }

  /** Whether the model is a folder. */
  boolean isFolder() {
    return server.isEmpty()
        && (model.contains("/") || model.contains(File.separator) || model.equals("."));
  }

  URI server() {
    return server.orElse(DEFAULT_SERVER);
  }

  /**
   * Whom to trust.
   *
   * @throws DataException if the certificates cannot be read
   */
  Tls tls() {
    try {
      return roots.map(Tls::trusting).orElseGet(Tls::system);
    } catch (IllegalArgumentException wrong) {
      throw new DataException(String.valueOf(wrong.getMessage()));
    }
  }

  Map<String, String> headers() {
    return headers;
  }

  /**
   * Connects to the server, or loads the folder, and asks for the model's metadata.
   *
   * @throws DataException if the options, or the folder, are wrong
   * @throws io.nereid.client.NereidException if the server cannot be asked, or has no such model
   * @throws io.nereid.error.InferenceException if the folder's model does not load
   */
  AskedModel open() throws IOException {
    return isFolder()
        ? AskedModel.inFolder(Path.of(model), version, settings)
        : AskedModel.at(client(), model, version);
  }

  private NereidClient client() {
    try {
      ClientBuilder builder =
          NereidClient.builder(server().toString())
              .deadline(Duration.ofNanos((long) (timeout * NANOS_PER_SECOND)));
      headers.forEach(builder::header);
      return builder.tls(tls()).open();
    } catch (IllegalArgumentException wrong) {
      throw new DataException(String.valueOf(wrong.getMessage()));
    }
  }

  /**
   * What to say besides when there is no server that answers; empty if nothing helps.
   *
   * @param reason as the transport has it
   */
  String hint(String reason) {
    if (isFolder()) {
      return "";
    }
    String scheme = server().getScheme();
    String address = server().getRawSchemeSpecificPart();
    if (scheme.endsWith("s") && (reason.contains("SSL message") || reason.contains("TLS record"))) {
      return "; if the server has no TLS: --server %s:%s"
          .formatted(scheme.substring(0, scheme.length() - 1), address);
    }
    if (!scheme.endsWith("s")
        && (reason.contains("received no bytes") || reason.contains("Network closed"))) {
      return "; if the server has TLS: --server %ss:%s".formatted(scheme, address);
    }
    return Files.isDirectory(Path.of(model))
        ? "; for the folder of that name: ./%s".formatted(model)
        : "; --server says where one is, ./nereid serve starts one, and infer and verify take the path of a model's folder too";
  }
}
