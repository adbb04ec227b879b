package io.nereid.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.Metadata;
import io.grpc.netty.GrpcSslContexts;
import io.nereid.client.InferRequest;
import io.nereid.client.grpc.InferMessages;
import io.nereid.client.rest.InferEncoder;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.transport.GrpcLoad;
import io.nereid.tools.load.transport.HttpLoad;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * Requests as bytes, encoded once for all of a load: HTTP's with head and body, tensors as binary
 * data; gRPC's as messages.
 */
final class EncodedRequests {
  /** Calls of one HTTP/2 connection. */
  private static final int CALLS_PER_CHANNEL = 8;

  private static final int MAX_CHANNELS = 8;

  private final ModelLocation location;
  private final List<byte[]> requests;

  EncodedRequests(ModelLocation location, List<InferRequest> requests) {
    this.location = location;
    this.requests =
        requests.stream().map(each -> isGrpc() ? InferMessages.bytes(each) : http(each)).toList();
  }

  private boolean isGrpc() {
    return location.server().getScheme().startsWith("grpc");
  }

  private boolean isTls() {
    return location.server().getScheme().endsWith("s");
  }

  /** A load with as many connections of HTTP, or calls of gRPC. */
  LoadWindow.Opening load(int inFlight) throws IOException {
    URI server = withPort();
    if (isGrpc()) {
      Metadata headers = new Metadata();
      location
          .headers()
          .forEach((name, value) ->
              headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
      Optional<SslContext> context = isTls() ? Optional.of(grpcTls()) : Optional.empty();
      int channels = Math.clamp(inFlight / CALLS_PER_CHANNEL, 1, MAX_CHANNELS);
      return (arrivals, outcomes) ->
          new GrpcLoad(
              server, requests, inFlight, channels, 0, context, headers, arrivals, outcomes);
    }
    SSLContext tls = isTls() ? location.tls().context() : null;
    return (arrivals, outcomes) ->
        new HttpLoad(server, tls, requests, inFlight, arrivals, outcomes);
  }

  private SslContext grpcTls() throws IOException {
    SslContextBuilder context = GrpcSslContexts.forClient();
    TrustManager[] trusted = location.tls().trustManagers();
    return (trusted == null ? context : context.trustManager(trusted[0])).build();
  }

  private URI withPort() {
    URI server = location.server();
    int port = server.getPort() >= 0 ? server.getPort() : isTls() ? 443 : 80;
    return URI.create(
        "%s://%s:%d%s".formatted(server.getScheme(), server.getHost(), port, server.getRawPath()));
  }

  private byte[] http(InferRequest request) {
    URI server = withPort();
    List<ByteBuffer> parts = new InferEncoder(request, /* jsonTensors= */ false).parts();
    StringBuilder head =
        new StringBuilder("POST %s/v2/models/".formatted(server.getRawPath().replaceAll("/+$", "")))
            .append(URLEncoder.encode(request.model(), UTF_8).replace("+", "%20"))
            .append(request.version().isEmpty() ? "" : "/versions/" + request.version())
            .append("/infer HTTP/1.1\r\n")
            .append("Host: %s:%d\r\n".formatted(server.getHost(), server.getPort()))
            .append("Content-Type: application/octet-stream\r\n")
            .append(
                "Inference-Header-Content-Length: %d\r\n".formatted(parts.getFirst().remaining()))
            .append(
                "Content-Length: %d\r\n"
                    .formatted(parts.stream().mapToLong(ByteBuffer::remaining).sum()));
    location.headers().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(head.append("\r\n").toString().getBytes(UTF_8));
    for (ByteBuffer part : parts) {
      byte[] data = new byte[part.remaining()];
      part.get(data);
      bytes.writeBytes(data);
    }
    return bytes.toByteArray();
  }
}
