package io.nereid.demo;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Sends the sample's file, as {@code curl -d @file} does. */
final class HttpDigitClient implements Demo.Client {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI uri;

  HttpDigitClient(int port) {
    uri = URI.create("http://localhost:" + port + "/v2/models/digits/infer");
  }

  @Override
  public String protocol() {
    return "HTTP";
  }

  @Override
  public float[] probabilities(Sample sample) throws IOException, InterruptedException {
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(sample.body()))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException(
          "status %d for %s: %s".formatted(response.statusCode(), sample.file(), response.body()));
    }
    JsonArray data =
        JsonParser.parseString(response.body())
            .getAsJsonObject()
            .getAsJsonArray("outputs")
            .get(0)
            .getAsJsonObject()
            .getAsJsonArray("data");
    float[] probabilities = new float[data.size()];
    for (int i = 0; i < probabilities.length; i++) {
      probabilities[i] = data.get(i).getAsFloat();
    }
    return probabilities;
  }

  @Override
  public void close() {
    client.close();
  }
}
