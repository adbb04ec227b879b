package io.nereid.server.options.declaration;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Lists the options of a command by topic: first the command's own and those of its mixins, then,
 * below a heading each, those of the mixins of its mixins.
 */
public final class OptionHelp implements IHelpSectionRenderer {
  @Override
  public String render(Help help) {
    var text = new StringBuilder();
    List<OptionSpec> others = new ArrayList<>(help.commandSpec().options());
    for (CommandSpec mixin : help.commandSpec().mixins().values()) {
      mixin
          .mixins()
          .forEach((heading, topic) -> {
            text.append("%n%s:%n".formatted(heading)).append(list(help, topic.options()));
            others.removeAll(topic.options());
          });
    }
    return list(help, others) + text;
  }

  private static String list(Help help, List<OptionSpec> options) {
    Help.Layout layout = help.createDefaultLayout();
    layout.addOptions(options, help.createDefaultParamLabelRenderer());
    return layout.toString();
  }
}
