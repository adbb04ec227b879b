package io.nereid.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "failed from '/tmp/nereid-model-1/m/1/model.onnx': x | failed from '1/model.onnx': x",
        "'/home/my models/m/1/model.onnx' | '1/model.onnx'",
        "text proto from /home/models/m/config.pbtxt:3:1: no | text proto from config.pbtxt:3:1: no",
        "no config.pbtxt in /home/models/m, and | no config.pbtxt in m, and",
        "cannot read /etc/secret/ (/usr/lib/x.so) | cannot read secret/ (x.so)",
        "failed:/usr/src/graph.cc:13 Graph | failed:graph.cc:13 Graph",
        "unexpected input '/model/layers.0/Add' | unexpected input '/model/layers.0/Add'",
        "s3://bucket/home/m and 1/2, a/b, / 3 | s3://bucket/home/m and 1/2, a/b, / 3",
      })
  void pathsOfThisMachineBecomeNamesInTheModelsDirectory(String text, String shown) {
    assertThat(ClientText.of("m", text)).isEqualTo(shown);
  }
}
