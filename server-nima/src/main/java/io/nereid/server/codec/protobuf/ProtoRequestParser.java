package io.nereid.server.codec.protobuf;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.nereid.error.InferenceException;
import io.nereid.server.memory.LeaseSource;
import io.nereid.server.protobuf.InferParameter;
import io.nereid.server.protobuf.ModelInferRequest.InferInputTensor;
import io.nereid.server.protobuf.ModelInferRequest.InferRequestedOutputTensor;
import java.io.IOException;

/**
 * A parser of {@code ModelInferRequest}. The raw tensors (field 7), nearly all of the bytes, are
 * copied once, from the transport's buffers into aligned pooled memory; protobuf's own parser reads
 * the rest.
 */
public final class ProtoRequestParser {
  private static final int MODEL_NAME = tag(1);
  private static final int MODEL_VERSION = tag(2);
  private static final int ID = tag(3);
  private static final int PARAMETERS = tag(4);
  private static final int INPUTS = tag(5);
  private static final int OUTPUTS = tag(6);
  private static final int RAW_INPUT_CONTENTS = tag(7);

  /** Limits the heap of a hostile message: a tensor of two bytes takes a hundred. */
  private static final int MAX_PARTS = 100_000;

  /** The pools that models prefer for their inputs. */
  @FunctionalInterface
  public interface InputPools {
    /**
     * The pool for the inputs of a model, which may not exist.
     *
     * @param version as sent; empty if absent
     */
    LeaseSource of(String model, String version);
  }

  private final InputPools pools;

  /**
   * @param pools asked at a request's first tensor; clients send the model's name before it
   */
  public ProtoRequestParser(InputPools pools) {
    this.pools = pools;
  }

  private static int tag(int field) {
    return field << 3 | ProtoInput.LENGTH_DELIMITED;
  }

  /**
   * Parses one message.
   *
   * @return owned by the caller
   * @throws InferenceException INVALID_ARGUMENT if the message is malformed; UNAVAILABLE if there
   *     is no memory
   */
  public ProtoRequest parse(ProtoInput input) {
    var request = new ProtoRequest();
    try {
      int parts = 0;
      for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
        if (++parts > MAX_PARTS) {
          throw InferenceException.invalid(
              "request has more than %d inputs, outputs and other fields".formatted(MAX_PARTS));
        }
        readField(request, input, tag);
      }
      return request;
    } catch (InvalidProtocolBufferException malformed) {
      request.close();
      throw InferenceException.invalid(
          "request is not a valid protobuf message: " + malformed.getMessage());
    } catch (IOException impossible) {
      request.close();
      throw new AssertionError("reading from an array", impossible);
    } catch (RuntimeException failure) {
      request.close();
      throw failure;
    }
  }

  private void readField(ProtoRequest request, ProtoInput input, int tag) throws IOException {
    if (tag == RAW_INPUT_CONTENTS) {
      LeaseSource pool = pools.of(request.modelName, request.modelVersion);
      request.rawContents.add(input.readLease(pool));
    } else if (tag == INPUTS) {
      request.inputs.add(InferInputTensor.parseFrom(input.readBytes()));
    } else if (tag == OUTPUTS) {
      request.outputs.add(InferRequestedOutputTensor.parseFrom(input.readBytes()));
    } else if (tag == PARAMETERS) {
      readParameter(request, input.readBytes());
    } else if (tag == MODEL_NAME) {
      request.modelName = input.readString();
    } else if (tag == MODEL_VERSION) {
      request.modelVersion = input.readString();
    } else if (tag == ID) {
      request.id = input.readString();
    } else {
      input.skipField(tag);
    }
  }

  /** An entry of the map: key 1, value 2. */
  private static void readParameter(ProtoRequest request, byte[] entry) throws IOException {
    CodedInputStream coded = CodedInputStream.newInstance(entry);
    String key = "";
    InferParameter value = InferParameter.getDefaultInstance();
    for (int tag = coded.readTag(); tag != 0; tag = coded.readTag()) {
      if (tag == tag(1)) {
        key = coded.readStringRequireUtf8();
      } else if (tag == tag(2)) {
        value = value.toBuilder().mergeFrom(coded.readByteArray()).build(); // it may come in parts
      } else {
        coded.skipField(tag);
      }
    }
    request.parameters.put(key, value);
  }
}
