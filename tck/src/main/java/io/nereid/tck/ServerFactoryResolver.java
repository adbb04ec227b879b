package io.nereid.tck;

import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Finds the factory of a class's servers: the innermost of its instance and those around it. */
public final class ServerFactoryResolver implements ParameterResolver {
  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == ServerFactory.class;
  }

  @Override
  public ServerFactory resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRequiredTestInstances()
        .findInstance(ServerFactory.class)
        .orElseThrow(() ->
            new ExtensionConfigurationException(
                "%s starts no server: let it, or a class around it, implement ServerFactory"
                    .formatted(context.getRequiredTestClass().getName())));
  }
}
