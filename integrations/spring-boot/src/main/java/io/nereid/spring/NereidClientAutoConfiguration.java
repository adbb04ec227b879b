package io.nereid.spring;

import io.nereid.client.CallInterceptor;
import io.nereid.client.ClientBuilder;
import io.nereid.client.NereidClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * The client of an application, unless it has one of its own, with all interceptors that are beans.
 * Needs {@code nereid.client.address}; connects with its first call.
 */
@AutoConfiguration
@ConditionalOnClass(NereidClient.class)
@ConditionalOnProperty("nereid.client.address")
@EnableConfigurationProperties(ClientProperties.class)
public class NereidClientAutoConfiguration {
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  NereidClient nereidClient(
      ClientProperties properties,
      ObjectProvider<CallInterceptor> interceptors,
      ObjectProvider<ClientCustomizer> customizers) {
    ClientBuilder builder =
        NereidClient.builder(properties.address())
            .deadline(properties.deadline())
            .connectTimeout(properties.connectTimeout());
    Integer connections = properties.connections();
    if (connections != null) {
      builder.connections(connections);
    }
    properties.headers().forEach(builder::header);
    interceptors.orderedStream().forEach(builder::interceptor);
    customizers.orderedStream().forEach(each -> each.customize(builder));
    return builder.open();
  }
}
