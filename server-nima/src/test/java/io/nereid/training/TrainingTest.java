package io.nereid.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.NereidCommand;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TrainingTest {
  @Test
  void everyRequestIsAnsweredAsTheTrainingExpects() {
    var errors = new StringWriter();

    int status =
        NereidCommand.run(
            new StringWriter(),
            errors,
            "train",
            "--model-repository=../examples/models",
            "--log-info=false",
            "--http-port=0",
            "--grpc-port=0",
            "--metrics-port=0");

    assertThat(errors.toString()).isEmpty();
    assertThat(status).isZero();
  }
}
