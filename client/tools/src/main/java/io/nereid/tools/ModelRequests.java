package io.nereid.tools;

import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import io.nereid.tools.data.DataException;
import io.nereid.tools.data.TensorFile;
import io.nereid.tools.data.TensorRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Requests to a model, of as many rows as it takes at once.
 *
 * @param rowsOfRequest the mean rows of a request: the last one may have fewer than the others
 * @param rowsOfFile of each but the last, if they are the rows of a file in its order; else 0
 * @param notice what the user should know of how they were found; may be empty
 */
record ModelRequests(
    List<InferRequest> requests, double rowsOfRequest, int rowsOfFile, String notice) {
  /** Where neither the model nor the user says. */
  private static final int DEFAULT_ROWS = 1000;

  private static final Pattern ROW = Pattern.compile("\\brow (\\d{1,18})\\b");

  ModelRequests {
    requests = List.copyOf(requests);
  }

  static ModelRequests of(InferRequest request) {
    return new ModelRequests(List.of(request), 1, 0, "");
  }

  /**
   * @param batch the most rows of a request; empty for what the model takes, 1000 at most. A model
   *     without batches gets all rows at once: they may belong together
   */
  static ModelRequests of(
      AskedModel model, TensorFile file, Optional<Integer> batch, List<String> outputs) {
    if (file.rows() < 0) {
      return of(request(model, file.tensors(), outputs));
    }
    int limit = model.config().maxBatch().orElse(DEFAULT_ROWS);
    int most = batch.orElse(limit == 0 ? file.rows() : Math.min(limit, DEFAULT_ROWS));
    List<InferRequest> requests = new ArrayList<>();
    for (int from = 0; from < file.rows(); from += most) {
      int begin = from;
      int end = Math.min(file.rows(), from + most);
      Map<String, Tensor> part = new LinkedHashMap<>();
      file.tensors().forEach((name, all) -> part.put(name, TensorRows.slice(all, begin, end)));
      requests.add(request(model, part, outputs));
    }
    return new ModelRequests(requests, (double) file.rows() / requests.size(), most, file.notice());
  }

  private static InferRequest request(
      AskedModel model, Map<String, Tensor> inputs, List<String> outputs) {
    return model.request().inputs(inputs).outputs(outputs.toArray(String[]::new)).build();
  }

  /**
   * Sends one after the other, and joins the rows of the answers.
   *
   * @throws DataException if the answers cannot be joined
   * @throws io.nereid.client.NereidException if a request fails
   */
  InferResponse send(NereidClient client) {
    List<InferResponse> answers =
        IntStream.range(0, requests.size()).mapToObj(i -> send(client, i)).toList();
    InferResponse first = answers.getFirst();
    Map<String, Tensor> outputs = new LinkedHashMap<>();
    for (String name : first.outputs().keySet()) {
      outputs.put(
          name, TensorRows.join(name, answers.stream().map(each -> each.output(name)).toList()));
    }
    return new InferResponse(
        first.model(), first.version(), first.id(), first.parameters(), outputs);
  }

  /**
   * Sends one of them. Where a failure may be that of a row, it says where the rows of the request
   * are in the file.
   */
  InferResponse send(NereidClient client, int index) {
    try {
      return client.infer(requests.get(index));
    } catch (NereidException failure) {
      if (rowsOfFile == 0
          || (requests.size() == 1 && !failure.sentence().contains("row"))
          || failure.code() != ErrorCode.INVALID_ARGUMENT) {
        throw failure;
      }
      Matcher row = ROW.matcher(failure.sentence());
      long number = row.find() ? Long.parseLong(row.group(1)) : 0;
      throw new NereidException(
          failure.code(),
          failure.asked(),
          "%s; row %d of this request is row %d of the file"
              .formatted(failure.sentence(), number, (long) index * rowsOfFile + number + 1),
          failure.mayHaveRun(),
          null,
          failure);
    }
  }
}
