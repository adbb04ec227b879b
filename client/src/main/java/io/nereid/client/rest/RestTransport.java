package io.nereid.client.rest;

import com.fasterxml.jackson.core.json.PackageVersion;
import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.ClientTransport;
import io.nereid.client.FailedStream;
import io.nereid.client.GenerateRequest;
import io.nereid.client.Generated;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.Management;
import io.nereid.client.NereidException;
import io.nereid.client.TransportFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.zip.GZIPOutputStream;

/** Calls over HTTP/1.1. */
public final class RestTransport implements ClientTransport {
  private final Exchange exchange;

  private RestTransport(Exchange exchange) {
    this.exchange = exchange;
  }

  /**
   * Calls by an HTTP client of yours, with its proxy, authenticator, threads and TLS. It should be
   * built with {@code version(HTTP_1_1)}: else its first request asks for an upgrade.
   */
  public static TransportFactory over(HttpClient http) {
    return over(http, false);
  }

  /** {@code owned}: whether the transport closes it, where the JDK can. */
  static TransportFactory over(HttpClient http, boolean owned) {
    return (address, settings) -> {
      requireJackson();
      return new RestTransport(new Exchange(http, owned, base(address), settings));
    };
  }

  /** An application may have an older one: its BOM wins over the version in our POM. */
  private static void requireJackson() {
    try {
      Class.forName("com.fasterxml.jackson.core.StreamReadConstraints");
    } catch (ClassNotFoundException isOlder) {
      throw new IllegalStateException(
          "REST needs com.fasterxml.jackson.core:jackson-core 2.15 or later on the class path, which has "
              + found(),
          isOlder);
    }
  }

  private static String found() {
    try {
      return PackageVersion.VERSION.toString();
    } catch (NoClassDefFoundError missing) {
      return "none";
    }
  }

  private static String base(URI address) {
    if (address.getHost() == null || address.getQuery() != null) {
      throw new IllegalArgumentException(
          "'%s' is not the address of a server, such as http://localhost:8000".formatted(address));
    }
    String text = address.toString();
    return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }

  @Override
  public InferResponse infer(InferRequest request, CallContext context) {
    return decode(request, exchange.sendAndWait(http(request, context), context, request));
  }

  @Override
  public Call<InferResponse> inferAsync(InferRequest request, CallContext context) {
    return exchange
        .send(http(request, context), context, request)
        .map(request, body -> decode(request, body));
  }

  private HttpRequest.Builder http(InferRequest request, CallContext context) {
    InferEncoder encoder = new InferEncoder(request, exchange.settings().jsonTensors());
    String mistake = encoder.mistake();
    if (mistake != null) {
      throw NereidException.unimplemented(exchange.at(request), mistake);
    }
    List<ByteBuffer> parts = encoder.parts();
    boolean isBinary = parts.size() > 1;
    String headerLength = Integer.toString(parts.get(0).remaining());
    boolean gzip = exchange.settings().gzip();
    HttpRequest.Builder http =
        exchange.post(
            Paths.model(request.model(), request.version()) + "/infer",
            context,
            isBinary ? "application/octet-stream" : "application/json",
            gzip ? List.of(ByteBuffer.wrap(compressed(parts))) : parts);
    if (isBinary) {
      http.setHeader("Inference-Header-Content-Length", headerLength);
    }
    if (gzip) {
      http.setHeader("Content-Encoding", "gzip").setHeader("Accept-Encoding", "gzip");
    }
    return http;
  }

  private static byte[] compressed(List<ByteBuffer> parts) {
    var bytes = new ByteArrayOutputStream();
    try (WritableByteChannel channel = Channels.newChannel(new GZIPOutputStream(bytes))) {
      for (ByteBuffer part : parts) {
        channel.write(part);
      }
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot be written", e);
    }
    return bytes.toByteArray();
  }

  private InferResponse decode(InferRequest request, HttpBody received) {
    HttpBody body = exchange.successful(received, request);
    try {
      return new InferDecoder(request, body).decode();
    } catch (IOException e) {
      throw NereidException.badResponse(
          exchange.at(request), "the response cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public Flow.Publisher<InferResponse> stream(InferRequest request, CallContext context) {
    return new FailedStream<>(
        NereidException.unimplemented(
            exchange.at(request),
            "REST has no streams of tensors: use an address with grpc://, or generate"));
  }

  @Override
  public Call<Generated> generate(GenerateRequest request, CallContext context) {
    return new Generation(exchange).generate(request, context);
  }

  @Override
  public Flow.Publisher<Generated> generateStream(GenerateRequest request, CallContext context) {
    return subscriber -> new Generation(exchange).stream(request, context, subscriber);
  }

  @Override
  public Management management() {
    return new RestManagement(exchange);
  }

  @Override
  public String address() {
    return exchange.base();
  }

  @Override
  public void close() {
    exchange.close();
  }
}
