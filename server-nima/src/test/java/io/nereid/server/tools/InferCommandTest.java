package io.nereid.server.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.NereidCommand;
import io.nereid.server.NereidServer;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The command {@code infer}, of a server by both protocols and of a folder. */
@Timeout(120)
class InferCommandTest {
  private static final Path EXAMPLES = Path.of("..", "examples", "models");

  @TempDir private static Path repository;

  private static NereidServer server;
  private static Path columns;
  private static Path lacking;

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    columns = ColumnModel.in(repository);
    lacking = ColumnModel.lackingIn(repository);
    server =
        NereidServer.builder()
            .repository(repository)
            .repository(EXAMPLES)
            .withoutMetrics()
            .http(0)
            .grpc(0)
            .option("http-address", "127.0.0.1")
            .option("grpc-address", "127.0.0.1")
            .option("server-warmup", "0")
            .option("backend-config", "java,allow=true")
            .start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private int run(List<String> where, String... arguments) {
    List<String> words = new ArrayList<>(List.of("infer"));
    words.addAll(where);
    words.addAll(List.of(arguments));
    return NereidCommand.run(out, err, words.toArray(String[]::new));
  }

  private static List<String> of(String model, String url) {
    return List.of(model, "--server", url);
  }

  private static String http() {
    return "http://127.0.0.1:" + server.httpPort();
  }

  /** The same model by REST, by gRPC, and from its folder. */
  static Stream<List<String>> columnsEverywhere() {
    return Stream.of(
        of("columns", http()),
        of("columns", "grpc://127.0.0.1:" + server.grpcPort()),
        Stream.concat(Stream.of(columns.toString()), ColumnModel.ALLOWED.stream()).toList());
  }

  @ParameterizedTest
  @MethodSource("columnsEverywhere")
  void moreRowsThanABatchAreAnsweredInTheirOrder(List<String> where) throws IOException {
    Path csv = folder.resolve("rows.csv");
    Files.writeString(csv, "city,age\nBern,41\nRom,\n\"Aix, Var\",7.5\nOslo,8\nWien,9\n");

    assertThat(run(where, "--csv", csv.toString(), "--format", "csv")).as(err.toString()).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "next,greeting",
            "42.0,\"Hello, Bern\"",
            "NaN,\"Hello, Rom\"",
            "8.5,\"Hello, Aix, Var\"",
            "9.0,\"Hello, Oslo\"",
            "10.0,\"Hello, Wien\"");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void anOptionalInputThatIsMissingMayBeAllowed() {
    for (List<String> where :
        List.of(
            of("lacking", http()),
            of("lacking", "grpc://127.0.0.1:" + server.grpcPort()),
            Stream.concat(Stream.of(lacking.toString()), ColumnModel.ALLOWED.stream()).toList())) {
      assertThat(run(where, "--json={\"age\":1}")).isEqualTo(2);
      assertThat(err.toString())
          .isEqualTo(
              "nereid: '--json' has no column 'city'; with --allow-missing its value is missing in all rows%n"
                  .formatted());
      err.getBuffer().setLength(0);
      assertThat(run(where, "--json={\"city\":\"a\"}")).isEqualTo(2);
      assertThat(err.toString()).isEqualTo("nereid: '--json' has no column 'age'%n".formatted());
      err.getBuffer().setLength(0);
    }
  }

  @Test
  void aRowOfJsonIsAnsweredAsATable() {
    assertThat(run(of("columns", http()), "--json", "{\"age\": 41, \"city\": \"Bern\"}")).isZero();
    assertThat(out.toString().lines())
        .containsExactly("row  next     greeting", "  1  42.0  Hello, Bern");
  }

  @Test
  void aRequestOfTheProtocolIsAnsweredAsItsResponse() throws IOException {
    Path json = folder.resolve("request.json");
    Files.writeString(
        json,
        """
        {"id": "1", "inputs": [
          {"name": "age", "shape": [2, 1], "datatype": "FP32", "data": [[1], [2.5]]},
          {"name": "city", "shape": [2, 1], "datatype": "BYTES", "data": ["a", "b\\""]}],
         "outputs": [{"name": "greeting"}]}
        """);

    assertThat(run(of("columns", http()), "--json", json.toString(), "--format", "json")).isZero();
    assertThat(out.toString())
        .isEqualTo(
            ("{\"model_name\":\"columns\",\"model_version\":\"1\",\"outputs\":[{\"name\":\"greeting\","
                    + "\"datatype\":\"BYTES\",\"shape\":[2,1],\"data\":[\"Hello, a\",\"Hello, b\\\"\"]}]}%n")
                .formatted());
  }

  @Test
  void oneInputTakesColumnsInOrderAndOneOutputIsChosen() throws IOException {
    Path csv = folder.resolve("digits.csv");
    String row = String.join(",", IntStream.range(0, 64).mapToObj(i -> "0.5").toList());
    Files.writeString(csv, row + "\n" + row + "\n");
    String model = EXAMPLES.resolve("digits").toString();

    assertThat(run(List.of(model), "--csv", csv.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--no-header if it is a row");
    assertThat(
            run(List.of(model), "--csv", csv.toString(), "--no-header", "--output=probabilities"))
        .isZero();
    assertThat(out.toString().lines().findFirst())
        .get()
        .asString()
        .contains("row", "probabilities[0]", "probabilities[9]");
    assertThat(out.toString().lines()).hasSize(3);
  }

  @Test
  void anEnsembleInAFolderFindsItsModelsBesideIt() throws IOException {
    Path json = folder.resolve("grey.json");
    Files.writeString(json, "[[" + "0,".repeat(63) + "255]]");

    assertThat(
            run(
                List.of(EXAMPLES.resolve("digits_ensemble").toString()),
                "--json=" + json,
                "--output=label,probability"))
        .as(err.toString())
        .isZero();
    assertThat(out.toString().lines()).hasSize(2);
    assertThat(out.toString()).startsWith("row").contains("label", "probability");
  }

  @Test
  void aFolderOfOneModelFileNeedsNoConfiguration() throws IOException {
    Path bare = Files.createDirectory(folder.resolve("net"));
    Files.copy(EXAMPLES.resolve("identity_fp32/1/model.onnx"), bare.resolve("model.onnx"));

    assertThat(run(List.of(bare.toString()), "--json", "[[1.5], [2.5]]", "--format=csv"))
        .as(err.toString())
        .isZero();
    assertThat(out.toString().lines()).containsExactly("OUTPUT0", "1.5", "2.5");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "columns||2|nereid: nothing to ask: --csv, --json or --npz; model 'columns' takes age FP32[-1, 1], city BYTES[-1, 1]",
        "columns|--json={\"agee\":1}|2|nereid: '--json' has a column 'agee', which is none of age, city; did you mean 'age'?",
        "columns|--json={\"age\":\"x\",\"city\":\"a\"}|2|nereid: '--json', column 'age', row 1: got 'x', expected a number (FP32)",
        "columns|--json={age|2|nereid: --json is no JSON: ",
        "columns|--csv=/missing/rows.csv|2|nereid: '/missing/rows.csv': no such file or directory",
        "columns|--npz=/missing/rows.npz|2|nereid: '/missing/rows.npz': no such file or directory",
        "columns|--json={\"age\":1}|2|nereid: '--json' has no column 'city'",
        "columns|--json={\"age\":1} --allow-missing|1|nereid: infer of model 'columns' at http",
        "columns|--json={age:1}|2|nereid: --json is no JSON: ",
        "columns|--json={\"age\":1|2|nereid: --json is no JSON: End of input at line 1",
        "columns|--csv=/tmp|2|nereid: '/tmp' is a directory, and not a file of rows",
        "columns|--json=/tmp|2|nereid: '/tmp' is a directory, and not a file of rows",
        "columns|--json=[] --batch=0|2|Error: --batch must be 1 or more, got 0",
        "columns|--json=[] --format=xml|2|Invalid value for option '--format': expected table, csv or json, got 'xml'",
        "columns|--json=[] --csv=a|2|Error: --csv=<file>, --json=<file or text> are mutually exclusive",
        "columns|--json={\"age\":1,\"city\":\"a\"} --output=no|1|nereid: infer of model 'columns' at http",
        "nothing|--json=[]|1|nereid: metadata of model 'nothing' at http",
      })
  void whatIsWrongIsOneSentenceAndTheStatusSaysWhoseItIs(
      String model, String arguments, int status, String sentence) {
    String[] words = arguments == null ? new String[0] : arguments.split(" ");

    assertThat(run(of(model, http()), words)).as(err.toString()).isEqualTo(status);
    assertThat(err.toString()).startsWith(sentence).doesNotContain("\tat ");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anUnknownModelIsSaidWithThoseThatTheServerHas() {
    for (String url : List.of(http(), "grpc://127.0.0.1:" + server.grpcPort())) {
      assertThat(run(of("digit", url), "--json=[]")).isOne();
      assertThat(err.toString())
          .contains("'digit' is not found; the server has ", "columns, digits, ")
          .hasLineCount(1);
      err.getBuffer().setLength(0);
    }
  }

  @Test
  void aFailureOfALaterRequestSaysWhichRowsOfTheFileItHas() throws IOException {
    Path csv = folder.resolve("rows.csv");
    Files.writeString(csv, "age,city\n1,A\n2,B\n3,C\n4,B52\n");

    assertThat(run(of("columns", http()), "--csv=" + csv)).isOne();
    assertThat(err.toString())
        .contains("row 1: no city 'B52'; row 1 of this request is row 4 of the file");
  }

  @Test
  void aTabBetweenColumnsIsWrittenAsInOtherTools() throws IOException {
    Path tsv = Files.writeString(folder.resolve("rows.csv"), "age\tcity\n1\tA\n");

    assertThat(run(of("columns", http()), "--csv=" + tsv, "--separator=\\t"))
        .as(err.toString())
        .isZero();
    assertThat(run(of("columns", http()), "--csv=" + tsv, "--separator=ab")).isEqualTo(2);
    assertThat(err.toString()).contains("expected one character, got 'ab'");
  }

  @Test
  void namesThatAreOfNoUseAreSaidBesideTheAnswer() throws IOException {
    Path csv = folder.resolve("digits.csv");
    Files.writeString(
        csv,
        String.join(",", IntStream.range(0, 64).mapToObj(i -> "p" + i).toList())
            + "\n"
            + String.join(",", Collections.nCopies(64, "0.5"))
            + "\n");

    assertThat(run(of("digits", http()), "--csv=" + csv)).isZero();
    assertThat(err.toString())
        .startsWith("nereid: '" + csv + "' has names of values, and the model does not name")
        .hasLineCount(1);
    err.getBuffer().setLength(0);
    assertThat(run(of("digits", http()), "--csv=" + csv, "--in-order")).isZero();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aModelFileIsNoFolderAndTheSentenceSaysHowToMakeOne() throws IOException {
    Path file = Files.writeString(folder.resolve("churn.json"), "{}");

    assertThat(run(List.of(file.toString()), "--json=[[1]]")).isEqualTo(2);
    assertThat(err.toString())
        .contains("mkdir churn && cp " + file + " churn/model.json, and ask ./churn");
  }

  @Test
  void aFolderThatIsMissingOrDoesNotLoadIsASentence() throws IOException {
    assertThat(run(List.of("./missing"), "--json=[[1]]")).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("nereid: no folder of a model './missing'")
        .hasLineCount(1);

    Path broken = folder.resolve("broken");
    Files.createDirectories(broken.resolve("1"));
    Files.writeString(broken.resolve("1/model.onnx"), "no model");
    assertThat(run(List.of(broken.toString()), "--json=[[1]]")).isOne();
    assertThat(err.toString().lines().skip(1)).singleElement().asString().contains("broken");
  }
}
