package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import java.util.Map;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that cannot be decoded: each gets its status and text, and has no effect on the next.
 */
public abstract class HttpErrorVerification extends HttpVerification {
  @RuleTable(
      """
      HTTP-ERROR-01 | unknown           | {"inputs":[$0]}     | 404 | Request for unknown model: 'unknown' is not found
      HTTP-ERROR-02 | simple/versions/7 | {$inputs}           | 404 | Request for unknown model: 'simple' version 7 is not found
      HTTP-ERROR-03 | simple            | {                   | 500 | failed to parse the request JSON buffer: ...
      HTTP-ERROR-03 | simple            | {"inputs":[}        | 500 | failed to parse the request JSON buffer: ...
      HTTP-ERROR-03 | simple            | {"inputs" [] }      | 500 | failed to parse the request JSON buffer: ...
      HTTP-ERROR-03 | simple            | [1,                 | 500 | failed to parse the request JSON buffer: ...
      HTTP-ERROR-03 | simple            | {"inputs":[]} 1     | 500 | failed to parse the request JSON buffer: ...
      HTTP-ERROR-03 | simple            | nonsense            | 500 | failed to parse the request JSON buffer: ...
      HTTP-ERROR-03 | simple            | {'inputs':[]}       | 500 | failed to parse the request JSON buffer: ...
      HTTP-ERROR-03 | simple            | {"id":"not closed   | 500 | failed to parse the request JSON buffer: ...
      HTTP-ERROR-04 | simple            | {$inputs,"id":7}    | 500 | Unable to parse 'id': attempt to access JSON non-string as string
      HTTP-ERROR-05 | simple | {$inputs,"parameters":[1]}                     | 500 | failed to get request params.: attempt to get members for non-object
      HTTP-ERROR-06 | simple | {$inputs,"parameters":{"sequence_start":1}}    | 500 | Unable to parse 'sequence_start': attempt to access JSON non-boolean as boolean
      HTTP-ERROR-06 | simple | {$inputs,"parameters":{"priority":-1}}         | 500 | Unable to parse 'priority': attempt to access JSON non-unsigned-integer as unsigned-integer
      HTTP-ERROR-06 | simple | {$inputs,"parameters":{"timeout":"1"}}         | 500 | Unable to parse 'timeout': attempt to access JSON non-unsigned-integer as unsigned-integer
      HTTP-ERROR-06 | simple | {$inputs,"parameters":{"binary_data_output":1}} | 500 | Unable to parse 'binary_data_output': attempt to access JSON non-boolean as boolean
      HTTP-ERROR-07 | simple | {$inputs,"parameters":{"mine":null}}           | 400 | parameter 'mine' has invalid type. It should be either 'int', 'bool', or 'string'.
      HTTP-ERROR-07 | simple | {$inputs,"parameters":{"mine":[1]}}            | 400 | parameter 'mine' has invalid type. It should be either 'int', 'bool', or 'string'.
      HTTP-ERROR-07 | simple | {$inputs,"parameters":{"mine":{"a":1}}}        | 400 | parameter 'mine' has invalid type. It should be either 'int', 'bool', or 'string'.
      HTTP-ERROR-08 | simple | {$inputs,"parameters":{"triton_mine":1}}       | 400 | parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.
      HTTP-ERROR-09 | simple | {}                                             | 500 | Unable to parse 'inputs': attempt to access non-existing object member 'inputs'
      HTTP-ERROR-09 | simple | {"inputs":{}}                                  | 500 | Unable to parse 'inputs': attempt to access JSON non-array as array
      HTTP-ERROR-10 | simple | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1,16]},$1]} | 400 | Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But no field is set
      HTTP-ERROR-10 | simple | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1,16],"data":[1],"parameters":{"binary_data_size":4}},$1]} | 400 | Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But set 'data' 'binary_data_size'...
      HTTP-ERROR-11 | simple | {"inputs":[{"other":"INPUT0","datatype":"INT32","shape":[1,16],"data":[$row]},$1]} | 500 | Unable to parse 'name': attempt to access non-existing object member 'name'
      HTTP-ERROR-11 | simple | {"inputs":[{"name":7,"datatype":"INT32","shape":[1,16],"data":[$row]},$1]}         | 500 | Unable to parse 'name': attempt to access JSON non-string as string
      HTTP-ERROR-11 | simple | {"inputs":[{"name":"INPUT0","other":"INT32","shape":[1,16],"data":[$row]},$1]}     | 500 | Unable to parse 'datatype': attempt to access non-existing object member 'datatype'
      HTTP-ERROR-11 | simple | {"inputs":[{"name":"INPUT0","datatype":7,"shape":[1,16],"data":[$row]},$1]}        | 500 | Unable to parse 'datatype': attempt to access JSON non-string as string
      HTTP-ERROR-11 | simple | {"inputs":[{"name":"INPUT0","datatype":"INT32","other":[1,16],"data":[$row]},$1]}  | 500 | Unable to parse 'shape': attempt to access non-existing object member 'shape'
      HTTP-ERROR-11 | simple | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":7,"data":[$row]},$1]}       | 500 | Unable to parse 'shape': attempt to access JSON non-array as array
      HTTP-ERROR-12 | simple | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[2,-5],"data":[1]},$1]}     | 500 | Unable to parse 'shape': attempt to access JSON non-unsigned-integer as unsigned-integer
      HTTP-ERROR-12 | simple | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1.5,16],"data":[1]},$1]}   | 500 | Unable to parse 'shape': attempt to access JSON non-unsigned-integer as unsigned-integer
      HTTP-ERROR-12 | simple | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":["1",16],"data":[1]},$1]}   | 500 | Unable to parse 'shape': attempt to access JSON non-unsigned-integer as unsigned-integer
      HTTP-ERROR-13 | simple | {"inputs":[$0,$0]}                                                  | 400 | [request id: <id_unknown>] input 'INPUT0' already exists in request
      HTTP-ERROR-13 | simple | {"inputs":[$0,$0],"id":"x7"}                                        | 400 | [request id: x7] input 'INPUT0' already exists in request
      HTTP-ERROR-14 | simple | {$inputs,"outputs":[{"name":"OUTPUT0"},{"name":"OUTPUT0"}]}         | 400 | [request id: <id_unknown>] output 'OUTPUT0' already exists in request
      HTTP-ERROR-30 | repeat | {"inputs":[{"name":"IN","datatype":"INT32","shape":[1],"data":[1]}]} | 501 | HTTP end point doesn't support models with decoupled transaction policy
      """)
  void rejectsWhatCannotBeDecoded(String model, String json, int status, String text) {
    rejected(infer(model, json), status, text);
  }

  @RuleCases("HTTP-ERROR-27")
  @ValueSource(strings = {"br", "GZIP", "gzip, deflate", "gzip;q=1"})
  void rejectsAnUnknownContentEncoding(String encoding) {
    byte[] body = request(INPUT0, INPUT1).getBytes(UTF_8);
    var response = infer("simple", body, Map.of("Content-Encoding", encoding));
    assertThat(response.header("Accept-Encoding")).isEqualTo("gzip, deflate");
    rejected(response, 501, "Unsupported compression type");
  }
}
