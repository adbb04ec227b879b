package io.nereid.server.codec.json.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.statistics.Samples;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.server.codec.protobuf.StatisticsProtoWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessageJsonTest {
  private static String json(StatisticsSnapshot... models) {
    return new String(MessageJson.of(StatisticsProtoWriter.write(List.of(models))), UTF_8);
  }

  @Test
  void writesAllStatisticsInTheProtocolsOrder() {
    assertThat(json(Samples.busy("m\"ü", 3, Map.of("unseen", "here"))))
        .isEqualTo(
            """
            {"model_stats":[{"name":"m\\"ü","version":"3","last_inference":1700000000001,
            "inference_count":5,"execution_count":2,
            "inference_stats":{
            "success":{"count":2,"ns":52000},
            "fail":{"count":3,"ns":24000},
            "queue":{"count":2,"ns":54000},
            "compute_input":{"count":2,"ns":56000},
            "compute_infer":{"count":2,"ns":58000},
            "compute_output":{"count":2,"ns":60000},
            "cache_hit":{"count":0,"ns":0},
            "cache_miss":{"count":0,"ns":0}},
            "response_stats":{
            "0":{"compute_infer":{"count":2,"ns":54},"compute_output":{"count":1,"ns":1},
            "success":{"count":1,"ns":11},"fail":{"count":1,"ns":44},
            "empty_response":{"count":0,"ns":0},"cancel":{"count":1,"ns":55}},
            "1":{"compute_infer":{"count":1,"ns":20},"compute_output":{"count":1,"ns":2},
            "success":{"count":1,"ns":22},"fail":{"count":0,"ns":0},
            "empty_response":{"count":0,"ns":0},"cancel":{"count":0,"ns":0}},
            "2":{"compute_infer":{"count":1,"ns":33},"compute_output":{"count":0,"ns":0},
            "success":{"count":0,"ns":0},"fail":{"count":0,"ns":0},
            "empty_response":{"count":1,"ns":33},"cancel":{"count":0,"ns":0}}},
            "batch_stats":[
            {"batch_size":2,"compute_input":{"count":1,"ns":23000},
            "compute_infer":{"count":1,"ns":24000},"compute_output":{"count":1,"ns":25000}},
            {"batch_size":4,"compute_input":{"count":1,"ns":33000},
            "compute_infer":{"count":1,"ns":34000},"compute_output":{"count":1,"ns":35000}}],
            "memory_usage":[]}]}
            """
                .replace("\n", ""));
  }

  @Test
  void listsModelsInTheOrderGiven() {
    assertThat(json()).isEqualTo("{\"model_stats\":[]}");
    assertThat(json(Samples.idle("b", 1), Samples.idle("a", 2)))
        .startsWith("{\"model_stats\":[{\"name\":\"b\",\"version\":\"1\",\"last_inference\":0,")
        .contains("\"memory_usage\":[]},{\"name\":\"a\",\"version\":\"2\",");
  }
}
