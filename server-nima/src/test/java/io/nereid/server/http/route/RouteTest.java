package io.nereid.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTest {
  @Test
  void parsesThePathsOfTheServer() {
    assertThat(Route.parse("/v2")).isEqualTo(new Route.ServerMetadata());
    assertThat(Route.parse("/v2/health/live")).isEqualTo(new Route.Live());
    assertThat(Route.parse("/v2/health/ready")).isEqualTo(new Route.Ready());
    assertThat(Route.parse("/v2/models")).isEqualTo(new Route.Models());
    assertThat(Route.parse("/v2/models/stats")).isEqualTo(new Route.Statistics());
  }

  @ParameterizedTest
  @CsvSource({
    "/v2/models/m,m,'',METADATA",
    "/v2/models/m/ready,m,'',READY",
    "/v2/models/m/config,m,'',CONFIG",
    "/v2/models/m/infer,m,'',INFER",
    "/v2/models/m/stats,m,'',STATS",
    "/v2/models/m/generate,m,'',GENERATE",
    "/v2/models/m/versions/1/generate_stream,m,1,GENERATE_STREAM",
    "/v2/models/m/versions/3/stats,m,3,STATS",
    "/v2/models/stats/stats,stats,'',STATS",
    "/v2/models/stats/ready,stats,'',READY",
    "/v2/models/m/versions/3,m,3,METADATA",
    "/v2/models/m/versions/3/ready,m,3,READY",
    "/v2/models/m/versions/03/infer,m,03,INFER",
    "/v2/models/versions/versions/1/infer,versions,1,INFER",
    "/v2/models/infer/infer,infer,'',INFER",
    "/v2/models/a%2Fb%20c/infer,a/b c,'',INFER",
    "/v2/models/a+b,a+b,'',METADATA",
    "/v2/models/50%,50%,'',METADATA",
    "/v2/models/%zz,%zz,'',METADATA",
    "/v2/models/%C3%A9,é,'',METADATA"
  })
  void parsesThePathsOfAModel(String path, String model, String version, Route.Resource resource) {
    assertThat(Route.parse(path)).isEqualTo(new Route.OfModel(model, version, resource));
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/embeddings,EMBEDDINGS,'',''",
    "/v1/models,MODELS,'',''",
    "/v1/models/a%20b,MODEL,a b,''",
    "/v1/models/a/b,MODEL,a/b,''",
    "/rerank,RERANK,'',''",
    "/v1/rerank,RERANK,'',''",
    "/v2/rerank,RERANK,'',''",
    "/classify,CLASSIFY,'',''",
    "/embed,EMBED,'',''",
    "/predict,PREDICT,'',''",
    "/tokenize,TOKENIZE,'',''",
    "/info,INFO,'',''",
    "/v2/models/m/embed,EMBED,m,''",
    "/v2/models/a%20b/v1/embeddings,EMBEDDINGS,a b,''",
    "/v2/models/m/versions/3/info,INFO,m,3",
    "/v2/models/m/versions/3/v2/rerank,RERANK,m,3"
  })
  void parsesThePathsOfTextModels(String path, TextApi api, String model, String version) {
    assertThat(Route.parse(path)).isEqualTo(new Route.Text(api, model, version));
  }

  @Test
  void parsesThePathsOfTheConsole() {
    for (String path : List.of("", "/", "/main.js", "/data/live")) {
      assertThat(Route.parse("/console" + path))
          .isEqualTo(new Route.Console(new ConsolePath(path)));
    }
    assertThat(Route.parse("/console/main.js").isOpen()).isTrue();
    assertThat(Route.parse("/console/data/live").isOpen()).isFalse();
    assertThat(Route.parse("/")).isEqualTo(Route.parse("/console"));
    assertThat(Route.parse("/consoles")).isEqualTo(new Route.Unknown());
  }

  @Test
  void parsesWhatPagesOfTheConsoleAskFor() {
    assertThat(query("live")).isEqualTo(new ConsoleQuery.Live());
    assertThat(query("configuration/a%2Fb")).isEqualTo(new ConsoleQuery.Configuration("a/b"));
    assertThat(query("decisions/a%2Fb/2"))
        .isEqualTo(new ConsoleQuery.Decisions(new ModelKey("a/b", 2)));
    assertThat(query("requests")).isEqualTo(new ConsoleQuery.Requests(""));
    assertThat(query("requests/a%2Fb")).isEqualTo(new ConsoleQuery.Requests("a/b"));
    assertThat(query("log/17")).isEqualTo(new ConsoleQuery.Log(17));
    assertThat(Route.parse("/console/data/requests").methods()).containsExactly("GET", "POST");
    assertThat(Route.parse("/console/data/live").methods()).containsExactly("GET");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "none",
        "server/",
        "decisions/a",
        "decisions/a/b/2",
        "requests/",
        "requests/a/b",
        "log/",
        "log/-1",
        "log/1234567890123456789"
      })
  void anythingElseIsNoQueryOfTheConsole(String path) {
    assertThat(query(path)).isEqualTo(new ConsoleQuery.Unknown());
  }

  private static ConsoleQuery query(String path) {
    return new ConsolePath("/data/" + path).query().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/v2/repository/index", "/v2/repository/r/index", "/v2/repository/models/index"})
  void parsesThePathsOfTheRepositoryIndex(String path) {
    assertThat(Route.parse(path)).isEqualTo(new Route.RepositoryIndex());
  }

  @ParameterizedTest
  @CsvSource({
    "/v2/repository/models/m/load,'',m,LOAD",
    "/v2/repository/models/m/unload,'',m,UNLOAD",
    "/v2/repository/r/models/m/load,r,m,LOAD",
    "/v2/repository/models/models/m/unload,models,m,UNLOAD",
    "/v2/repository/models/index/load,'',index,LOAD",
    "/v2/repository/models/a%2Fb%20c/load,'',a/b c,LOAD",
    "/v2/repository/r%2F/models/m/load,r/,m,LOAD"
  })
  void parsesThePathsOfModelControl(
      String path, String repository, String model, Route.Action action) {
    assertThat(Route.parse(path)).isEqualTo(new Route.ModelControl(repository, model, action));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v2/repository",
        "/v2/repository/",
        "/v2/repository//index",
        "/v2/repository/Index",
        "/v2/repository/index/",
        "/v2/repository/r/r/index",
        "/v2/repository/models",
        "/v2/repository/models/m",
        "/v2/repository/models//load",
        "/v2/repository/models/m/Load",
        "/v2/repository/models/m/load/",
        "/v2/repository//models/m/load",
        "/v2/repository/r/models//load",
        "/v2/repository/r/model/m/load",
        "/v2/repository/r/s/models/m/load",
        "//",
        "/v2/",
        "/V2",
        "/v1",
        "/v1/models/",
        "/v1/embeddings/",
        "/embed/",
        "/v2/embed",
        "/v2/models/m/v1/models/m",
        "/v2/models//embed",
        "/v2/health",
        "/v2/health/",
        "/v2/health/live/",
        "/v2/health/LIVE",
        "/v2/Models",
        "/v2/models/",
        "/v2/models//infer",
        "/v2/models/m/",
        "/v2/models/m/Infer",
        "/v2/models/m/infer/",
        "/v2/models/m/infer/x",
        "/v2/models/m/versions",
        "/v2/models/m/versions/",
        "/v2/models/m/versions/x",
        "/v2/models/m/versions/-1",
        "/v2/models/m/versions//infer",
        "/v2/models/m/versions/1/",
        "/v2/models/m/versions/1/infer/",
        "/v2/models/m/versions/1/x"
      })
  void rejectsOtherPaths(String path) {
    assertThat(Route.parse(path)).isEqualTo(new Route.Unknown());
  }

  @Test
  void rejectsAVersionBeyondALong() {
    assertThat(version("")).isEmpty();
    assertThat(version("9223372036854775807")).hasValue(Long.MAX_VALUE);
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> version("9223372036854775808"))
        .withMessage(
            "failed to get model version from specified version string '9223372036854775808'"
                + " (details: stol), version should be an integral value > 0");
  }

  private static java.util.OptionalLong version(String text) {
    return new Route.OfModel("m", text, Route.Resource.INFER).versionNumber();
  }
}
