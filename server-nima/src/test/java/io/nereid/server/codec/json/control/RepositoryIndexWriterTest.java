package io.nereid.server.codec.json.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.model.control.ModelIndexEntry.State;
import io.nereid.protocol.inference.RepositoryIndexResponse.ModelIndex;
import io.nereid.server.frontend.StatusMessages;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RepositoryIndexWriterTest {
  private static String json(ModelIndexEntry... index) {
    return new String(RepositoryIndexWriter.write(rows(List.of(index))), UTF_8);
  }

  private static List<ModelIndex> rows(List<ModelIndexEntry> entries) {
    return entries.stream().map(StatusMessages::row).toList();
  }

  @Test
  void writesAnEmptyIndexAsAnEmptyArray() {
    assertThat(json()).isEqualTo("[]");
  }

  @Test
  void listsModelsThatAreReadyOnceBesideAllVersions() {
    var rows =
        List.of(
            row("a", 1, State.READY),
            row("a", 3, State.READY),
            row("b", 1, State.LOADING),
            row("c\"", 1, State.UNAVAILABLE),
            row("c\"", 2, State.READY));

    assertThat(new String(RepositoryIndexWriter.writeModels(rows(rows)), UTF_8))
        .isEqualTo("{\"models\":[\"a\",\"c\\\"\"],\"versions\":" + json(rows) + "}");
    assertThat(new String(RepositoryIndexWriter.writeModels(List.of()), UTF_8))
        .isEqualTo("{\"models\":[],\"versions\":[]}");
  }

  private static ModelIndexEntry row(String name, long version, State state) {
    return new ModelIndexEntry(name, OptionalLong.of(version), Optional.of(state), "");
  }

  private static String json(List<ModelIndexEntry> rows) {
    return json(rows.toArray(ModelIndexEntry[]::new));
  }

  @Test
  void leavesOutWhatARowDoesNotHave() {
    assertThat(
            json(
                new ModelIndexEntry("a", OptionalLong.empty(), Optional.empty(), ""),
                new ModelIndexEntry("b", OptionalLong.of(3), Optional.of(State.READY), ""),
                new ModelIndexEntry(
                    "c\"", OptionalLong.empty(), Optional.of(State.UNAVAILABLE), "it\nfailed")))
        .isEqualTo(
            "[{\"name\":\"a\"},{\"name\":\"b\",\"version\":\"3\",\"state\":\"READY\"},"
                + "{\"name\":\"c\\\"\",\"state\":\"UNAVAILABLE\",\"reason\":\"it\\nfailed\"}]");
  }
}
