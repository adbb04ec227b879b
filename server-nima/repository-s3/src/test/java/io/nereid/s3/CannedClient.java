package io.nereid.s3;

import java.io.ByteArrayInputStream;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.utils.AttributeMap;

/** A client of the SDK that responds to each request with the same bytes. For one thread. */
final class CannedClient implements SdkHttpClient, SdkHttpClient.Builder<CannedClient> {
  private SdkHttpResponse response = SdkHttpResponse.builder().statusCode(200).build();
  private byte[] body = {};

  /**
   * @param headers one per line, as {@code name: value}; other lines are ignored
   */
  void respond(int status, String headers, byte[] content) {
    var builder = SdkHttpResponse.builder().statusCode(status);
    headers
        .lines()
        .filter(line -> line.indexOf(':') > 0)
        .forEach(line -> {
          int colon = line.indexOf(':');
          builder.appendHeader(line.substring(0, colon), line.substring(colon + 1).strip());
        });
    response = builder.build();
    body = content.clone();
  }

  @Override
  public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
    return new ExecutableHttpRequest() {
      @Override
      public HttpExecuteResponse call() {
        return HttpExecuteResponse.builder()
            .response(response)
            .responseBody(AbortableInputStream.create(new ByteArrayInputStream(body)))
            .build();
      }

      @Override
      public void abort() {
        // the response is there at once
      }
    };
  }

  @Override
  public SdkHttpClient buildWithDefaults(AttributeMap defaults) {
    return this;
  }

  @Override
  public void close() {
    // nothing is open
  }
}
