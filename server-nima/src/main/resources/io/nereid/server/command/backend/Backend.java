package @package@;

import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;

/** The backend "@name@". Its models multiply numbers; replace that by what yours do. */
public final class @Class@Backend implements BackendProvider {
  @Override
  public String name() {
    return "@name@";
  }

  @Override
  public Backend open(BackendContext context) {
    // Once in the life of a server: the place to read context.options(), and to load what lies in
    // context.folder(). Lines of context.logger() are in the server's log.
    return new Opened();
  }

  private static final class Opened implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      return @Class@Model.load(files, config);
    }

    @Override
    public void close() {}
  }
}
