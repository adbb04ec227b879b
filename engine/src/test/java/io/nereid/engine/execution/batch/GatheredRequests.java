package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.engine.memory.CheckedBufferPool;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Requests of a test that share a batch, and whose memory must be freed. */
abstract class GatheredRequests {
  final CheckedBufferPool pool = new CheckedBufferPool();
  final GatherBuffers gatherBuffers = new GatherBuffers(pool);
  final List<TestRequest> requests = new ArrayList<>();

  RequestBatch batch(ModelConfig config) {
    return TestRequest.batch(config, requests, gatherBuffers);
  }

  @AfterEach
  void freeEverything() {
    gatherBuffers.release();
    requests.forEach(request -> request.pending().close());
    assertThat(pool.outstanding()).isZero();
  }
}
