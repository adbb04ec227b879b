package io.nereid.tools.data;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.nereid.client.model.TensorMetadata;
import io.nereid.tools.data.TextFormat.Header;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TensorFileTest {
  private static final TensorMetadata MATRIX = new TensorMetadata("x", "FP32", List.of(-1L, 3L));
  private static final TensorMetadata AGE = new TensorMetadata("age", "FP32", List.of(-1L, 1L));
  private static final TensorMetadata CITY = new TensorMetadata("city", "BYTES", List.of(-1L, 1L));
  private static final TensorMetadata PAIR = new TensorMetadata("pair", "INT64", List.of(-1L, 2L));
  private static final TextFormat PLAIN = format(Header.UNSAID, ',');
  private static final ColumnNames FEATURES = new ColumnNames(List.of("a", "b", "c"), Set.of("s"));

  private static TextFormat format(Header header, char separator) {
    return new TextFormat(header, separator, List.of(), false, false);
  }

  @TempDir private Path folder;

  private TensorFile read(String name, String content, TextFormat format, TensorMetadata... wanted)
      throws IOException {
    return TensorFile.read(
        Files.writeString(folder.resolve(name), content), inputs(wanted), format);
  }

  private static WantedTensors inputs(TensorMetadata... wanted) {
    return WantedTensors.inputs(List.of(wanted), ColumnNames.NUMBERED, Set.of("city"), "");
  }

  private String refusal(String name, String content, TextFormat format, TensorMetadata... wanted) {
    return assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> read(name, content, format, wanted))
        .actual()
        .sentence()
        .replace(folder + "/", "");
  }

  @Test
  void oneTensorTakesTheColumnsInTheirOrder() throws IOException {
    TensorFile file = read("a.csv", "\uFEFFb,a,c\n1,2,3\r\n4,,\"6\"\n", PLAIN, MATRIX);

    assertThat(file.rows()).isEqualTo(2);
    assertThat(file.tensor("x").shape()).containsExactly(2, 3);
    assertThat(file.tensor("x").floats()).containsExactly(1, 2, 3, 4, Float.NaN, 6);
  }

  @Test
  void aCsvMayBeCompressed() throws IOException {
    Path file = folder.resolve("a.csv.gz");
    try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write("age\n41\n".getBytes(ISO_8859_1));
    }

    assertThat(TensorFile.read(file, inputs(AGE), PLAIN).tensor("age").floats())
        .containsExactly(41);
    assertThat(refusal("b.csv.gz", "age\n41\n", PLAIN, AGE))
        .isEqualTo("'b.csv.gz' is no CSV: Not in GZIP format");
  }

  /** Members of an object have no order. */
  @Test
  void oneTensorTakesNoObjectsWithOtherNamesThanItsOwn() {
    JsonElement own = JsonParser.parseString("{\"x\": [1, 2, 3]}");
    assertThat(TensorFile.ofJson("--json", own, inputs(MATRIX), PLAIN).tensor("x").floats())
        .containsExactly(1, 2, 3);

    JsonElement others = JsonParser.parseString("{\"b\": 1, \"a\": 2, \"c\": 3}");
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> TensorFile.ofJson("--json", others, inputs(MATRIX), PLAIN))
        .satisfies(refused ->
            assertThat(refused.sentence())
                .isEqualTo(
                    "'--json' has names of values, and the model does not name those of its only"
                        + " input 'x': give rows without names, [[...], [...]], in the order of the"
                        + " training data"));
  }

  @Test
  void severalTensorsTakeColumnsByNameInAnyOrder() throws IOException {
    TensorFile file =
        read(
            "a.csv",
            "city,pair[1],age,pair[0]\n\"Bern, CH\",2,41,1\n,4,,3\n",
            PLAIN,
            AGE,
            CITY,
            PAIR);

    assertThat(file.tensor("age").floats()).containsExactly(41, Float.NaN);
    assertThat(file.tensor("city").strings()).containsExactly("Bern, CH", "");
    assertThat(file.tensor("pair").longs()).containsExactly(1, 2, 3, 4);
  }

  private static final TextFormat LACKING =
      new TextFormat(Header.UNSAID, ',', List.of(), false, true);

  @Test
  void anInputWithoutAColumnIsRefusedUnlessTheUserAllowsIt() throws IOException {
    assertThat(refusal("a.csv", "age\n41\n", PLAIN, AGE, CITY))
        .isEqualTo(
            "'a.csv' has no column 'city'; with --allow-missing its value is missing in all rows");
    assertThat(refusal("a.csv", "age\n41\n", PLAIN, AGE, CITY, PAIR))
        .isEqualTo("'a.csv' has no column 'city', nor 1 more of 3");
    assertThat(refusal("a.json", "{\"city\": 41}", PLAIN, AGE, CITY))
        .isEqualTo("'a.json' has no column 'age'");
    assertThat(read("a.csv", "age\n41\n", LACKING, AGE, CITY).tensors()).containsOnlyKeys("age");
  }

  @Test
  void anOutputWithoutAColumnIsLeftOut() throws IOException {
    Path csv = Files.writeString(folder.resolve("a.csv"), "age\n41\n");
    var outputs = WantedTensors.outputs(List.of(AGE, CITY), ColumnNames.NUMBERED, false);

    assertThat(TensorFile.read(csv, outputs, PLAIN).tensors()).containsOnlyKeys("age");
  }

  private static WantedTensors ofFeatures() {
    return WantedTensors.inputs(List.of(MATRIX), FEATURES, Set.of(), "; columns");
  }

  private TensorFile readByFeature(String content, TextFormat format) throws IOException {
    Path csv = Files.writeString(folder.resolve("a.csv"), content);
    return TensorFile.read(csv, ofFeatures(), format);
  }

  @Test
  void theOnlyInputTakesColumnsByTheNamesOfItsFeatures() throws IOException {
    assertThat(readByFeature("c,a,b\n3,1,2\n", PLAIN).tensor("x").floats())
        .containsExactly(1, 2, 3);
    assertThat(readByFeature("c,a\n3,1\n", LACKING).tensor("x").floats())
        .containsExactly(1, Float.NaN, 3);
    assertThat(
            TensorFile.ofJson(
                    "--json",
                    JsonParser.parseString("{\"b\":2,\"a\":1,\"c\":3}"),
                    ofFeatures(),
                    PLAIN)
                .tensor("x")
                .floats())
        .containsExactly(1, 2, 3);
  }

  @Test
  void columnsAreTakenInOrderIfTheyHaveNoNamesOrTheUserSaysSo() throws IOException {
    var inOrder = new TextFormat(Header.UNSAID, ',', List.of(), true, false);

    assertThat(readByFeature("1,2,3\n", format(Header.NO, ',')).tensor("x").floats())
        .containsExactly(1, 2, 3);
    assertThat(readByFeature("x[0],x[1],x[2]\n1,2,3\n", PLAIN).tensor("x").floats())
        .containsExactly(1, 2, 3);
    assertThat(readByFeature("c,a,b\n1,2,3\n", inOrder).tensor("x").floats())
        .containsExactly(1, 2, 3);
    assertThat(readByFeature("c,a,b\n1,2,3\n", inOrder).notice()).isEmpty();
    assertThat(refusal("a.csv", "age,city\n1,Bern\n", inOrder, AGE, CITY))
        .isEqualTo(
            "--in-order is for models with one input; columns of this one are found by the names"
                + " of its inputs age, city");
  }

  /** As LightGBM writes the names of columns. */
  @Test
  void aColumnWithSpacesIsFoundByItsNameWithUnderscores() throws IOException {
    var score = new TensorMetadata("score_x", "FP32", List.of(-1L, 1L));
    TensorFile file = read("a.csv", "score x,age\n1,2\n", PLAIN, AGE, score);
    assertThat(file.tensor("score_x").floats()).containsExactly(1);
    assertThat(refusal("a.csv", "score x,age,score_x\n1,2,3\n", PLAIN, AGE, score))
        .startsWith("'a.csv' has a column 'score x', which is none of age, score_x");

    var two =
        WantedTensors.inputs(
            List.of(MATRIX), new ColumnNames(List.of("a b", "a_c", "d"), Set.of()), Set.of(), "");
    Path csv = Files.writeString(folder.resolve("a.csv"), "a c,d,a b\n1,2,3\n");
    assertThat(TensorFile.read(csv, two, PLAIN).tensor("x").floats()).containsExactly(3, 1, 2);
  }

  @Test
  void aFileOfAnotherEncodingOrAPickleIsNamed() throws IOException {
    Path latin = folder.resolve("a.csv");
    Files.write(latin, "age,city\n1,Bern\n2,Z\u00FCrich\n".getBytes(ISO_8859_1));
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> TensorFile.read(latin, inputs(AGE, CITY), PLAIN))
        .withMessage("'%s', line 3: it is not UTF-8", latin);
    Files.write(latin, new byte[] {(byte) 0x80, 4, (byte) 0x95, 'a', '\n', '.'});
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> TensorFile.read(latin, inputs(AGE, CITY), PLAIN))
        .withMessage("'%s' is a pickle of Python, expected a CSV", latin);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "a,b,last;1,2,3|'a.csv' has a column 'last', which is none of the features a, b, c; --in-order takes columns in their order, whatever their names",
        "a,b,cc;1,2,3|'a.csv' has a column 'cc', which is none of the features a, b, c; did you mean 'c'?",
        "a,b,c,cc;1,2,3,4|'a.csv' has a column 'cc', which is none of the features a, b, c; --ignore leaves columns out, by name",
        "a,last;1,2|'a.csv' has a column 'last', which is none of the features a, b, c",
        "a,c;1,2|'a.csv' has no column 'b'; with --allow-missing its value is missing in all rows",
        "a,b,c;1,Bern,3|'a.csv', column 'b', line 2: got 'Bern', expected a number (FP32); columns",
      })
  void columnsThatAreNotTheFeaturesAreRefused(String lines, String sentence) {
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> readByFeature(lines.replace(';', '\n') + "\n", PLAIN))
        .satisfies(
            wrong -> assertThat(wrong.sentence().replace(folder + "/", "")).isEqualTo(sentence));
  }

  @Test
  void namesThatAModelDoesNotHaveAreTakenInOrderAndThatIsSaid() throws IOException {
    assertThat(read("a.csv", "b,a,c\n1,2,3\n", PLAIN, MATRIX).notice().replace(folder + "/", ""))
        .isEqualTo(
            "'a.csv' has names of values, and the model does not name those of its only input 'x':"
                + " columns are taken in their order");
    assertThat(read("a.csv", "1,2,3\n", format(Header.NO, ','), MATRIX).notice()).isEmpty();
    assertThat(read("a.csv", "any\n1\n", PLAIN, AGE).notice()).isEmpty();
  }

  @Test
  void whatExplainsFeaturesHasTheirNamesAndIsReadByTheseOrByNumbers() throws IOException {
    var explained = new TensorMetadata("s", "FP32", List.of(-1L, 4L));
    var other = new TensorMetadata("t", "FP32", List.of(-1L, 4L));
    assertThat(FEATURES.of("s", 4)).containsExactly("s[a]", "s[b]", "s[c]", "s[bias]");
    assertThat(FEATURES.of("s", 8)).startsWith("s[0][a]", "s[0][b]").endsWith("s[1][bias]");
    assertThat(FEATURES.of("s", 5)).startsWith("s[0]", "s[1]");
    assertThat(FEATURES.of("t", 4)).containsExactly("t[0]", "t[1]", "t[2]", "t[3]");

    for (String header : List.of("s[bias],s[b],s[a],s[c]", "s[3],s[1],s[0],s[2]")) {
      Path csv = Files.writeString(folder.resolve("a.csv"), header + "\n4,2,1,3\n");
      TensorFile read =
          TensorFile.read(
              csv, WantedTensors.outputs(List.of(explained, other), FEATURES, false), PLAIN);
      assertThat(read.tensor("s").floats()).containsExactly(1, 2, 3, 4);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a;b;c\n1;2;3\n", "a;b;c\n1,5;2;3\n"})
  void aFileOfAnotherSeparatorSaysSo(String content) {
    assertThat(refusal("a.csv", content, PLAIN, MATRIX))
        .endsWith("; its only column is 'a;b;c': --separator ';' parts it");
    assertThat(refusal("a.csv", content.replace(';', '\t'), PLAIN, AGE, CITY))
        .endsWith(": --separator $'\\t' parts it");
  }

  @Test
  void whatPandasReadsAsMissingIsNaNAndATextStaysATextElsewhere() throws IOException {
    for (String missing : List.of("", "NA", "N/A", "#N/A", "<NA>", "null", "NaN", "-nan", "None")) {
      TensorFile file = read("a.csv", "age,city\n" + missing + ",NA\n", PLAIN, AGE, CITY);
      assertThat(file.tensor("age").floats()).as(missing).containsExactly(Float.NaN);
      assertThat(file.tensor("city").strings()).containsExactly("NA");
    }
    assertThat(refusal("a.csv", "NA,1,2\n", PLAIN, MATRIX)).contains("has numbers only");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "a,b,c,d;1,2,3,4|'a.csv' has 4 columns, and 'x' expects 3 values in a row; --ignore leaves columns out, by name",
        ",a,b,c;0,1,2,3|'a.csv' has 4 columns, and 'x' expects 3 values in a row; its first column has no name: if it is an index of pandas, write the file with index=False",
        "a;1|'a.csv' has 1 column, and 'x' expects 3 values in a row",
        "a;1,2|'a.csv', line 2: got 2 columns, expected the 1 of the header",
        "a,b,c;1,'2;4,5,6|'a.csv', line 2: got 2 columns, expected the 3 of the header; a quote of it may not be closed",
        "a,b,c;1,2|'a.csv', line 2: got 2 columns, expected the 3 of the header",
        "a,b,c;1,2,3;4,oops,6|'a.csv', column 'b', line 3: got 'oops', expected a number (FP32)",
        "a,b,b;1,2,3|'a.csv' has two columns 'b'",
        "a,b,c|'a.csv' has no rows",
        "1,2,3;4,5,6|the first line of 'a.csv' has numbers only: say --header if they are names of columns, --no-header if it is a row",
        "1,,nan;4,5,6|the first line of 'a.csv' has numbers only: say --header if they are names of columns, --no-header if it is a row",
      })
  void rowsThatDoNotFitAreRefusedWithColumnAndLine(String lines, String sentence) {
    String content = lines.replace(';', '\n').replace('\'', '"') + "\n";
    assertThat(refusal("a.csv", content, PLAIN, MATRIX)).isEqualTo(sentence);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "age,citty;1,a|'a.csv' has a column 'citty', which is none of age, city, pair; did you mean 'city'?",
        "age,other;1,a|'a.csv' has a column 'other', which is none of age, city, pair",
        "age,citty,city,pair[0],pair[1];1,a,a,2,3|'a.csv' has a column 'citty', which is none of age, city, pair; --ignore leaves columns out, by name",
        "41,Bern;1,a|'a.csv' has a column '41', which is none of age, city, pair; its first line looks like a row: add a line of names before it",
        "age,pair[0];1,2|'a.csv' has no column 'pair[1]', and 'pair' has 2 values in a row",
        "age,city,pair[0],pair[1];1,a,2,x|'a.csv', column 'pair[1]', line 2: got 'x', expected an integer (INT64)",
      })
  void columnsThatDoNotFitAreRefusedWithTheirNames(String lines, String sentence) {
    assertThat(refusal("a.csv", lines.replace(';', '\n') + "\n", PLAIN, AGE, CITY, PAIR))
        .isEqualTo(sentence);
  }

  @Test
  void aFirstLineOfNumbersIsWhatTheUserSays() throws IOException {
    String content = "0;1;2\n3;4;5\n";

    assertThat(read("a.csv", content, format(Header.YES, ';'), MATRIX).rows()).isEqualTo(1);
    assertThat(read("a.csv", content, format(Header.NO, ';'), MATRIX).rows()).isEqualTo(2);
    assertThat(refusal("a.csv", content, format(Header.NO, ';'), AGE, CITY))
        .isEqualTo("'a.csv' has no names of columns, by which age, city are found");
  }

  @Test
  void ignoredColumnsAreLeftOut() throws IOException {
    TextFormat format = new TextFormat(Header.UNSAID, ',', List.of("id"), false, false);

    assertThat(read("a.csv", "a,id,b,c\n1,x,2,3\n", format, MATRIX).tensor("x").floats())
        .containsExactly(1, 2, 3);
    assertThat(read("a.csv", "a,b,c\n1,2,3\n", format, MATRIX).rows()).isEqualTo(1);
    assertThat(
            refusal(
                "a.csv",
                "id,age\n1,2\n",
                format,
                new TensorMetadata("id", "FP32", AGE.shape()),
                AGE))
        .isEqualTo("'a.csv' has no column 'id'; --ignore leaves it out");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{\"age\": 41, \"city\": \"Bern\"}, {\"city\": \"Rom\", \"age\": null}]",
        "[{\"age\": 41, \"city\": \"Bern\"}, {\"city\": \"Rom\"}]"
      })
  void objectsInJsonAreRowsByName(String json) throws IOException {
    TensorFile file = read("a.json", json, PLAIN, AGE, CITY);

    assertThat(file.tensor("age").floats()).containsExactly(41, Float.NaN);
    assertThat(file.tensor("city").strings()).containsExactly("Bern", "Rom");
  }

  @Test
  void arraysInJsonAreRowsInOrder() throws IOException {
    assertThat(read("a.json", "[[1, 2, 3], [4, null, 6e0]]", PLAIN, MATRIX).tensor("x").floats())
        .containsExactly(1, 2, 3, 4, Float.NaN, 6);
    assertThat(read("a.json", "{\"x\": [1, [2, 3]]}", PLAIN, MATRIX).rows()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{\"age\": {\"0\": 41}}|'a.json': column 'age' is an object, expected a value; pandas writes rows by to_json(orient=\"records\")",
        "[[{}]]|'a.json': an object cannot be the value of a column",
        "[1, 2]|'a.json' is none of these: ",
        "[]|'a.json' is none of these: ",
        "[[1], [2, 3]]|'a.json', row 2: got 2 columns, expected the 1 of the first row",
        "{\"age\": \"old\"}|'a.json', column 'age', row 1: got 'old', expected a number (FP32)",
        "{\"age\" 4}|'a.json' is no JSON: ",
        "{\"age\": 4|'a.json' is no JSON: End of input at ",
        "{age: 4}|'a.json' is no JSON: error at line 1 column ",
        "{\"age\": 4} 5|'a.json' is no JSON: ",
      })
  void otherJsonIsRefused(String json, String sentence) {
    assertThat(refusal("a.json", json, PLAIN, AGE)).startsWith(sentence);
  }

  @Test
  void aFileThatIsMissingOrOfNoKnownKindIsNamed() {
    assertThatExceptionOfType(NoSuchFileException.class)
        .isThrownBy(() -> TensorFile.read(Path.of("missing.csv"), inputs(AGE), PLAIN));
    assertThat(refusal("a.parquet", "", PLAIN, AGE))
        .isEqualTo("'a.parquet' is of no known kind: expected .csv, .csv.gz, .json, .npz or .npy");
  }

  @Test
  void rowsNeedDimensionsThatTheySay() throws IOException {
    var anyTwo = new TensorMetadata("x", "FP32", List.of(-1L, -1L, -1L));
    var anyOne = new TensorMetadata("x", "FP32", List.of(-1L, -1L, 2L));

    assertThat(refusal("a.csv", "a,b\n1,2\n", PLAIN, anyTwo))
        .startsWith("'x' has the shape [-1, -1, -1]: rows do not say");
    assertThat(read("a.csv", "a,b,c,d\n1,2,3,4\n", PLAIN, anyOne).tensor("x").shape())
        .containsExactly(1, 2, 2);
    assertThat(refusal("a.csv", "a,b,c\n1,2,3\n", PLAIN, anyOne))
        .startsWith("'a.csv' has 3 columns, and 'x' expects a multiple of 2 values in a row");
  }
}
