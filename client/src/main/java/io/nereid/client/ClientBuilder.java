package io.nereid.client;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Configures a client; used by one thread. */
public final class ClientBuilder {
  private static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(60);
  private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private final URI address;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private String sequenceHeader = "";
  private Duration deadline = DEFAULT_DEADLINE;
  private Duration connectTimeout = DEFAULT_CONNECT_TIMEOUT;
  private RetryPolicy retries = RetryPolicy.DEFAULT;
  private @Nullable Tls tls;
  private boolean gzip;
  private boolean jsonTensors;
  private int maxResponseBytes = Integer.MAX_VALUE - 8;
  private int connections;
  private @Nullable TransportFactory transport;
  private final List<CallInterceptor> interceptors = new ArrayList<>();
  private @Nullable Executor executor;

  ClientBuilder(URI address) {
    this.address = address;
  }

  /** How long a call may take, its repeats included; 60 s by default. */
  public ClientBuilder deadline(Duration time) {
    deadline = Arguments.positive("deadline", time);
    return this;
  }

  /** How long a new connection may take; 10 s by default. */
  public ClientBuilder connectTimeout(Duration time) {
    connectTimeout = Arguments.positive("connectTimeout", time);
    return this;
  }

  /** A header, or gRPC metadata, of each call. */
  public ClientBuilder header(String name, String value) {
    Arguments.putHeader(headers, name, value);
    return this;
  }

  /**
   * A header, or gRPC metadata, by which each request of a {@link Sequence} names the sequence. A
   * balancer that cannot read requests, and sends those with the same header to the same server,
   * keeps the sequence where its state is. Ids with other characters than printable ASCII are sent
   * percent-encoded.
   */
  public ClientBuilder sequenceHeader(String name) {
    Map<String, String> checked = new LinkedHashMap<>();
    Arguments.putHeader(checked, name, "");
    sequenceHeader = checked.keySet().iterator().next();
    return this;
  }

  /** When failed calls are sent again; {@link RetryPolicy#DEFAULT} by default. */
  public ClientBuilder retries(RetryPolicy policy) {
    retries = policy;
    return this;
  }

  /** Whom to trust, and who the client is, where the address asks for TLS. */
  public ClientBuilder tls(Tls settings) {
    tls = settings;
    return this;
  }

  /** Compresses inference requests, and lets the server compress its responses. */
  public ClientBuilder gzip() {
    gzip = true;
    return this;
  }

  /** Sends tensors as JSON over REST, to servers without the extension for binary tensors. */
  public ClientBuilder jsonTensors() {
    jsonTensors = true;
    return this;
  }

  /** The longest response, uncompressed; a longer one fails the call. 2 GiB by default. */
  public ClientBuilder maxResponseBytes(int bytes) {
    maxResponseBytes = (int) Arguments.notNegative("maxResponseBytes", bytes);
    return this;
  }

  /**
   * How many connections there are. Over REST at most, 64 without this: further calls wait for one,
   * in their order, until their deadlines, and a stream has its own until it ends. Over gRPC
   * exactly, in turn; without this, one, on which as many calls are in flight as the server lets.
   */
  public ClientBuilder connections(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("connections are 1 or more: " + count);
    }
    connections = count;
    return this;
  }

  /** Another transport than the one for the address's scheme, such as one over your own channel. */
  public ClientBuilder transport(TransportFactory factory) {
    transport = factory;
    return this;
  }

  /** Another that sees all attempts of all calls, after those that were given before. */
  public ClientBuilder interceptor(CallInterceptor interceptor) {
    interceptors.add(interceptor);
    return this;
  }

  /**
   * Where the futures of calls are completed, and so what depends on them runs; without this, on
   * threads of the transport, which must not be blocked for long. Yours: it is not closed. What it
   * rejects is completed on the transport's thread. Subscribers of streams do not use it, nor calls
   * that wait.
   */
  public ClientBuilder executor(Executor threads) {
    executor = threads;
    return this;
  }

  /** The client. It connects with its first call. */
  public NereidClient open() {
    TransportFactory factory = transport != null ? transport : find();
    var settings =
        new TransportSettings(
            connectTimeout, tls, gzip, jsonTensors, maxResponseBytes, connections);
    return new NereidClient(
        new Caller(
            factory.open(address, settings),
            retries,
            deadline,
            Map.copyOf(headers),
            sequenceHeader,
            List.copyOf(interceptors),
            executor));
  }

  private TransportFactory find() {
    String scheme = Objects.requireNonNullElse(address.getScheme(), "").toLowerCase(Locale.ROOT);
    ServiceLoader<TransportProvider> providers =
        ServiceLoader.load(TransportProvider.class, ClientBuilder.class.getClassLoader());
    try {
      for (TransportProvider provider : providers) {
        if (provider.schemes().contains(scheme)) {
          return provider;
        }
      }
    } catch (ServiceConfigurationError e) {
      throw new IllegalStateException("a transport cannot be loaded", e);
    }
    throw new IllegalArgumentException(
        "'%s' is not the address of a server, such as http://localhost:8000 or grpc://localhost:8001"
            .formatted(address));
  }
}
