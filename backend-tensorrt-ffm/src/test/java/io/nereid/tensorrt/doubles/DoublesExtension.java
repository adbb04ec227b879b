package io.nereid.tensorrt.doubles;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.cuda.CudaDevices;
import java.util.Objects;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** What {@link UsesDoubles} says. */
final class DoublesExtension
    implements ExecutionCondition,
        BeforeAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(DoublesExtension.class);

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return NativeDoubles.isSupported()
        ? ConditionEvaluationResult.enabled("there is a C compiler")
        : ConditionEvaluationResult.disabled(NativeDoubles.NO_COMPILER);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    reset();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    reset();
    context.getStore(NAMESPACE).put(DoublesCheck.class, new DoublesCheck(CudartDouble.get()));
  }

  private static void reset() {
    CudartDouble.get().reset();
    NvinferDouble.resetIfLoaded();
    CudaDevices.forgetAll();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    var check = context.getStore(NAMESPACE).get(DoublesCheck.class, DoublesCheck.class);
    var problems = Objects.requireNonNull(check).end();
    reset();
    if (context.getExecutionException().isEmpty()) {
      assertThat(problems).as("what the doubles have found").isEmpty();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == CudartDouble.class || type == NvinferDouble.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == NvinferDouble.class
        ? NvinferDouble.get()
        : CudartDouble.get();
  }
}
