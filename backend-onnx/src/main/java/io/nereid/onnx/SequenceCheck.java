package io.nereid.onnx;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.OrtTensorInfo;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;

/** A check that a sequence model's file has the controls and states of its configuration. */
record SequenceCheck(ModelConfig config, OnnxSignature signature) {
  void check(OnnxSequenceTensors tensors) {
    tensors.controls().forEach(this::checkControl);
    tensors.states().forEach(this::checkState);
  }

  private void checkControl(TensorConfig control) {
    OrtTensorInfo info =
        OnnxSignature.find(signature.allInputs(), control.name())
            .orElseThrow(() ->
                InferenceException.internal(
                    ("configuration specified sequence control '%s', but model does not provide"
                            + " that input")
                        .formatted(control.name())));
    boolean rows = config.batches() && info.dims().rank() > 0;
    Shape dims = rows ? info.dims().withoutLeading() : info.dims();
    if (!dims.equals(control.dims())) {
      throw OnnxSignature.invalid(
          config,
          "sequence control '%s' in model has dims %s but dims [1] is expected"
              .formatted(control.name(), dims));
    }
    if (OnnxTypes.elementType(control.dataType()) != info.elementType()) {
      throw OnnxSignature.invalid(
          config,
          ("sequence control '%s', the model expects data-type %s but the model configuration"
                  + " specifies data-type %s")
              .formatted(
                  control.name(),
                  OnnxTypes.describe(info.elementType()),
                  control.dataType().configName()));
    }
  }

  private void checkState(State state) {
    checkState("input", OnnxSequenceTensors.stateInput(state), signature.allInputs());
    checkState("output", OnnxSequenceTensors.stateOutput(state), signature.outputs());
  }

  private void checkState(String role, TensorConfig state, List<OrtTensorInfo> infos) {
    Optional<OrtTensorInfo> info = OnnxSignature.find(infos, state.name());
    if (info.isEmpty()) {
      throw OnnxSignature.invalid(
          config,
          "configuration specified state %s '%s', but model does not provide that %s"
              .formatted(role, state.name(), role));
    }
    OnnxSignature.checkType(config, "state " + role, state, info.get());
    // As for inputs, the dimensions in the configuration may be more specific than in the file.
    new OnnxShapeCheck(config, state, info.get()).input();
  }
}
