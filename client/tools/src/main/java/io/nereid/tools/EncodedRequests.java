package io.nereid.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.Metadata;
import io.grpc.netty.GrpcSslContexts;
import io.nereid.client.InferRequest;
import io.nereid.client.Tensor;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.tools.load.LoadWindow;
import io.nereid.tools.load.transport.GrpcLoad;
import io.nereid.tools.load.transport.HttpLoad;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * Requests as bytes, encoded once for all of a load: HTTP's with head and body, tensors as binary
 * data; gRPC's as messages.
 */
final class EncodedRequests {
  private static final Gson GSON = new Gson();

  /** Calls of one HTTP/2 connection. */
  private static final int CALLS_PER_CHANNEL = 8;

  private static final int MAX_CHANNELS = 8;

  private final ModelLocation location;
  private final List<byte[]> requests;

  EncodedRequests(ModelLocation location, List<InferRequest> requests) {
    this.location = location;
    this.requests =
        requests.stream().map(request -> isGrpc() ? message(request) : http(request)).toList();
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

  private static byte[] message(InferRequest request) {
    ModelInferRequest.Builder message =
        ModelInferRequest.newBuilder()
            .setModelName(request.model())
            .setModelVersion(request.version());
    request.outputs().forEach(output -> message.addOutputsBuilder().setName(output.name()));
    request.parameters().forEach((name, value) -> message.putParameters(name, parameter(value)));
    for (Map.Entry<String, Tensor> input : request.inputs().entrySet()) {
      var head =
          message
              .addInputsBuilder()
              .setName(input.getKey())
              .setDatatype(input.getValue().dataType().name());
      for (long dim : input.getValue().shape()) {
        head.addShape(dim);
      }
      message.addRawInputContents(UnsafeByteOperations.unsafeWrap(input.getValue().data()));
    }
    return message.build().toByteArray();
  }

  private static InferParameter parameter(Object value) {
    InferParameter.Builder parameter = InferParameter.newBuilder();
    return switch (value) {
      case Boolean truth -> parameter.setBoolParam(truth).build();
      case Long number -> parameter.setInt64Param(number).build();
      case Double number -> parameter.setDoubleParam(number).build();
      default -> parameter.setStringParam(value.toString()).build();
    };
  }

  private byte[] http(InferRequest request) {
    URI server = withPort();
    byte[] json = head(request).toString().getBytes(UTF_8);
    long length = json.length;
    for (Tensor tensor : request.inputs().values()) {
      length += tensor.byteSize();
    }
    StringBuilder head =
        new StringBuilder("POST %s/v2/models/".formatted(server.getRawPath().replaceAll("/+$", "")))
            .append(URLEncoder.encode(request.model(), UTF_8).replace("+", "%20"))
            .append(request.version().isEmpty() ? "" : "/versions/" + request.version())
            .append("/infer HTTP/1.1\r\n")
            .append("Host: %s:%d\r\n".formatted(server.getHost(), server.getPort()))
            .append("Content-Type: application/octet-stream\r\n")
            .append("Inference-Header-Content-Length: %d\r\n".formatted(json.length))
            .append("Content-Length: %d\r\n".formatted(length));
    location.headers().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(head.append("\r\n").toString().getBytes(UTF_8));
    bytes.writeBytes(json);
    for (Tensor tensor : request.inputs().values()) {
      byte[] data = new byte[(int) tensor.byteSize()];
      tensor.data().get(data);
      bytes.writeBytes(data);
    }
    return bytes.toByteArray();
  }

  /** The JSON of the extension for binary tensor data. */
  private static JsonObject head(InferRequest request) {
    JsonArray inputs = new JsonArray();
    request
        .inputs()
        .forEach((name, tensor) -> {
          JsonArray shape = new JsonArray();
          for (long dim : tensor.shape()) {
            shape.add(dim);
          }
          JsonObject parameters = new JsonObject();
          parameters.addProperty("binary_data_size", tensor.byteSize());
          JsonObject input = new JsonObject();
          input.addProperty("name", name);
          input.addProperty("datatype", tensor.dataType().name());
          input.add("shape", shape);
          input.add("parameters", parameters);
          inputs.add(input);
        });
    JsonObject parameters = new JsonObject();
    request.parameters().forEach((name, value) -> parameters.add(name, GSON.toJsonTree(value)));
    JsonObject head = new JsonObject();
    head.add("parameters", parameters);
    head.add("inputs", inputs);
    if (request.outputs().isEmpty()) {
      parameters.addProperty("binary_data_output", true);
      return head;
    }
    JsonArray outputs = new JsonArray();
    request
        .outputs()
        .forEach(each -> {
          JsonObject isBinary = new JsonObject();
          isBinary.addProperty("binary_data", true);
          JsonObject output = new JsonObject();
          output.addProperty("name", each.name());
          output.add("parameters", isBinary);
          outputs.add(output);
        });
    head.add("outputs", outputs);
    return head;
  }
}
