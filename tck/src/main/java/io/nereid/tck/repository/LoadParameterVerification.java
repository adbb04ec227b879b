package io.nereid.tck.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import java.math.BigDecimal;
import org.junit.jupiter.params.provider.ValueSource;

/** The parameters {@code config} and {@code file:...} of load requests. */
public abstract class LoadParameterVerification extends ModelControlVerification {
  private static final String BATCHING = "{\"max_batch_size\":4," + ECHO_JSON + "}";
  private static final String NOT_BATCHING = "{" + ECHO_JSON + "}";
  private static final String CONTENT = "YQ==";

  private Object maxBatchSize(String model) {
    return config(model, "max_batch_size");
  }

  @Rule("REPO-41")
  void loadsAModelWithTheConfigurationOfTheRequest() {
    repository().add("configured", RepositoryFolder.BROKEN, 1);

    loaded(loadWith("configured", "config", BATCHING));

    assertThat(maxBatchSize("configured")).isEqualTo(BigDecimal.valueOf(4));
    assertThat(config("configured", "name")).isEqualTo("configured");
  }

  @Rule("REPO-42")
  void loadsAModelAgainForEachConfigurationOfARequest() {
    loadEcho("again");
    countOne("again");

    loaded(loadWith("again", "config", BATCHING));

    assertThat(maxBatchSize("again")).isEqualTo(BigDecimal.valueOf(4));
    assertThat(inferences("again")).isZero();
  }

  @Rule("REPO-43")
  void keepsTheConfigurationOfARequestUntilTheRepositoryChanges() {
    loadEcho("overridden");
    loaded(loadWith("overridden", "config", BATCHING));

    loaded(load("overridden"));
    assertThat(maxBatchSize("overridden")).isEqualTo(BigDecimal.valueOf(4));

    repository().configure("overridden", RepositoryFolder.ECHO);
    loaded(load("overridden"));
    assertThat(maxBatchSize("overridden")).isEqualTo(BigDecimal.ZERO);
    echo("overridden");
  }

  @RuleCases("REPO-44")
  @ValueSource(
      strings = {"", "{", "[]", "{\"no_such_field\":1}", "{\"max_batch_size\":\"many\"}", "null"})
  void keepsWhatServesWhenAConfigurationCannotBeRead(String config) {
    String model = "misconfigured_" + Integer.toHexString(config.hashCode());
    loadEcho(model);
    countOne(model);

    pollFails(loadWith(model, "config", config), model);

    assertThat(inferences(model)).isEqualTo(1);
    echo(model);
  }

  @Rule("REPO-44")
  void rejectsAConfigurationThatNamesAnotherModel() {
    loadEcho("named");

    pollFails(loadWith("named", "config", "{\"name\":\"other\"," + ECHO_JSON + "}"), "named");
  }

  @Rule("REPO-45")
  void loadsAModelFromTheFilesOfTheRequest() {
    loaded(loadWith("sent", "config", NOT_BATCHING, "file:7/model.txt", CONTENT));

    assertThat(echo("sent")).isEqualTo("7");
    assertThat(rows("sent")).as("a model without a folder is in no index").isEmpty();
    loaded(unload("sent"));
  }

  @Rule("REPO-46")
  void loadsFilesOfTheRequestInPlaceOfAllFilesOfTheRepository() {
    loadEcho("replaced");
    assertThat(echo("replaced")).isEqualTo("1");

    loaded(loadWith("replaced", "config", BATCHING, "file:3/model.txt", CONTENT));

    assertThat(isReady("replaced/versions/3")).isTrue();
    assertThat(isReady("replaced/versions/1")).isFalse();
  }

  @Rule("REPO-47")
  void rejectsFilesWithoutAConfiguration() {
    loadEcho("unconfigured");

    pollFails(loadWith("unconfigured", "file:1/model.txt", CONTENT), "unconfigured");

    echo("unconfigured");
  }

  @RuleCases("REPO-48")
  @ValueSource(
      strings = {
        "file:../escaped/1/model.txt",
        "file:1/../../../escaped.txt",
        "file:/escaped.txt",
        "file:",
        "file:1/..",
        "file:1/model\\u0000.txt"
      })
  void rejectsFilesOutsideOfTheModel(String file) {
    pollFails(loadWith("escaping", "config", NOT_BATCHING, file, CONTENT), "escaping");

    assertRows("escaping");
  }

  @Rule("REPO-48")
  void rejectsANameThatIsTooLongForAFile() {
    pollFails(
        loadWith("long", "config", NOT_BATCHING, "file:1/" + "x".repeat(1_000), CONTENT), "long");
  }

  @Rule("REPO-48")
  void rejectsAFileThatIsAFolderToo() {
    pollFails(
        loadWith("clash", "config", NOT_BATCHING, "file:1/a", CONTENT, "file:1/a/b", CONTENT),
        "clash");
  }

  @Rule("HTTP-REPO-16")
  void rejectsAFileThatIsNotBase64() {
    rejected(
        loadWith("encoded", "config", NOT_BATCHING, "file:1/model.txt", "YQ!"),
        "load parameter 'file:1/model.txt' is not valid base64...");
  }

  @Rule("REPO-49")
  void servesTheOldVersionOnWhenALoadWithParametersFails() {
    loadEcho("kept_parameters");
    var broken = ECHO_JSON.replace("OUTPUT0", "OTHER");

    loadFails(
        loadWith("kept_parameters", "config", "{" + broken + "}"),
        "load failed for model 'kept_parameters': version 1 is at UNAVAILABLE state: %s;"
            .formatted(RepositoryFolder.reasonOfBroken("kept_parameters")));

    echo("kept_parameters");
  }
}
