package example;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;

/** Counts the requests that the application has begun. */
@Component
class RequestCounter implements Filter {
  private final AtomicInteger begun = new AtomicInteger();

  int begun() {
    return begun.get();
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    begun.incrementAndGet();
    chain.doFilter(request, response);
  }
}
