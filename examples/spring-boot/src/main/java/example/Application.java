package example;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

@SpringBootApplication
@EnableConfigurationProperties(NereidProperties.class)
public class Application {
  public static void main(String[] arguments) {
    SpringApplication.run(Application.class, arguments);
  }
}
