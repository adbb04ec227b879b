package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.options.ParsedOptions;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers that are started as Triton's documentation and tests start Triton: its quick start,
 * deployment, metrics, response cache and rate limiter guides, and its folders qa/L0_lifecycle,
 * L0_grpc, L0_http, L0_perf_resnet, L0_parallel_copy, L0_memory and L0_parameters. Only the
 * repository, the addresses and the ports are replaced.
 */
class TritonStartLinesTest {
  @TempDir private Path models;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tritonserver --model-repository=/models",
        "tritonserver --model-store=/models --strict-model-config=false --log-verbose 1",
        "tritonserver --model-repository /models --allow-grpc true --allow-http 1"
            + " --allow-metrics=True --allow-gpu-metrics=false --metrics-interval-ms=1000",
        "tritonserver --model-repository=/models --http-thread-count=16 --grpc-infer-thread-count=4"
            + " --grpc-infer-allocation-pool-size=16 --buffer-manager-thread-count=4"
            + " --pinned-memory-pool-byte-size=0 --cuda-memory-pool-byte-size 0:0"
            + " --min-supported-compute-capability=1.0",
        "tritonserver --model-repository=/models --model-control-mode=explicit --load-model=*"
            + " --exit-on-error=false --exit-timeout-secs=5 --strict-readiness=false"
            + " --model-load-thread-count=32 --model-load-retry-count=1",
        "tritonserver --model-repository=/models --model-control-mode=poll"
            + " --repository-poll-secs=1 --exit-timeout-secs=5 --strict-model-config=true",
        "tritonserver --model-repository=/models --rate-limit=execution_count"
            + " --rate-limit-resource=resource1:6 --rate-limit-resource=resource2:2",
        "tritonserver --model-repository=/models --metrics-config histogram_latencies=true"
            + " --metrics-config summary_latencies=true"
            + " --metrics-config summary_quantiles=0.5:0.05,0.9:0.01",
        "tritonserver --model-repository=/models --cache-config local,size=1048576"
            + " --cache-directory=/opt/tritonserver/caches",
        "tritonserver --backend-directory=/opt/tritonserver/backends --model-repository=/models"
            + " --backend-config=tensorrt,version-compatible=true"
            + " --backend-config=python,shm-default-byte-size=5242880"
            + " --backend-config=default-max-batch-size=8 --repoagent-directory=/opt/agents",
        "tritonserver --model-repository=/models --http-header-forward-pattern=.*"
            + " --grpc-header-forward-pattern (?-i)MY_HEADER.* --grpc-keepalive-time=10000"
            + " --grpc-http2-max-pings-without-data=0 --grpc-http2-max-ping-strikes=0"
            + " --grpc-http2-min-recv-ping-interval-without-data=1000"
            + " --grpc-infer-response-compression-level=high",
        "tritonserver --model-repository=/models --reuse-http-port=true --reuse-grpc-port=true"
            + " --host-policy=gpu_0,cpu-cores=0-0 --enable-peer-access=FALSE"
            + " --model-load-gpu-limit 0:0.6 --http-max-input-size=134217728",
        "tritonserver --model-repository=/models"
            + " --grpc-restricted-protocol=shared-memory,model-config:admin-key=admin-value"
            + " --http-restricted-api=shared-memory,model-config:admin-key=admin-value"
            + " --allow-sagemaker=false --sagemaker-port=8080 --allow-vertex-ai=false",
        "tritonserver --model-repository=/models --http-port=8000 --http-port=9000 --id=triton"
            + " --disable-auto-complete-config --model-namespacing=false"
      })
  void startTheServer(String line) throws IOException {
    var pool = new CheckedBufferPool();
    var options = ParsedOptions.of(arguments(line));
    try (var server = new NereidServer(options, NereidServer.unconfigured(options), pool)) {
      server.start();
      try (var wire = new HttpWire(URI.create("http://127.0.0.1:" + server.httpPort()))) {
        assertThat(wire.send("GET", "/v2/health/ready", new byte[0], Map.of()).status())
            .isEqualTo(200);
      }
    }
  }

  private String[] arguments(String line) {
    return Stream.concat(
            Stream.of(line.split(" "))
                .skip(1)
                .map(each -> each.replace("/models", models.toString())),
            Stream.of(
                "--http-address=127.0.0.1",
                "--http-port=0",
                "--grpc-address=127.0.0.1",
                "--grpc-port=0",
                "--metrics-port=0"))
        .toArray(String[]::new);
  }
}
