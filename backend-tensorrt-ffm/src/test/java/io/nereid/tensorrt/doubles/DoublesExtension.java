package io.nereid.tensorrt.doubles;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.cuda.CudaDevices;
import java.util.Map;
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

  /** The counters before a test. */
  private record Before(Map<String, Long> live) {}

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
    context.getStore(NAMESPACE).put(Before.class, new Before(CudartDouble.get().live()));
  }

  private static void reset() {
    CudartDouble.get().reset();
    NvinferDouble.resetIfLoaded();
    CudaDevices.forgetAll();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    var cuda = CudartDouble.get();
    var before = context.getStore(NAMESPACE).get(Before.class, Before.class).live;
    var violations = cuda.violations();
    var after = cuda.live();
    before.forEach((kind, count) -> after.merge(kind, -count, Long::sum));
    after.values().removeIf(difference -> difference == 0);
    if (!after.isEmpty()) {
      cuda.forgetObjects();
    }
    reset();
    if (context.getExecutionException().isEmpty()) {
      assertThat(violations).as("violations that the double has counted").isEmpty();
      assertThat(after).as("live objects after the test, less those before").isEmpty();
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
