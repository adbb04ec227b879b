package io.nereid.tck.command.report;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * A run as JUnit's XML, which CI systems show: a test suite for each area, a test case for each
 * case of a rule. Untested rules are not in it.
 */
public final class JUnitReport {
  private final XMLStreamWriter xml;

  private JUnitReport(XMLStreamWriter xml) {
    this.xml = xml;
  }

  public static String of(RunReport report) {
    var text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
      new JUnitReport(xml).write(report);
      xml.close();
    } catch (XMLStreamException impossible) {
      throw new IllegalStateException(impossible);
    }
    return text.append('\n').toString();
  }

  private void write(RunReport report) throws XMLStreamException {
    Map<String, List<RuleResult>> areas = new TreeMap<>();
    report.rules().stream()
        .filter(rule -> rule.verdict() != Verdict.UNTESTED)
        .forEach(rule -> areas.computeIfAbsent(rule.area(), _ -> new ArrayList<>()).add(rule));
    xml.writeStartDocument("UTF-8", "1.0");
    xml.writeStartElement("testsuites");
    for (var area : areas.entrySet()) {
      var cases = area.getValue().stream().flatMap(rule -> rule.cases().stream()).toList();
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", area.getKey());
      xml.writeAttribute("timestamp", report.start().toString());
      xml.writeAttribute("tests", Integer.toString(cases.size()));
      xml.writeAttribute("failures", count(cases, Verdict.FAILED));
      xml.writeAttribute("errors", "0");
      xml.writeAttribute("skipped", count(cases, Verdict.SKIPPED));
      xml.writeAttribute("time", seconds(cases.stream().mapToLong(CaseResult::millis).sum()));
      for (RuleResult rule : area.getValue()) {
        for (CaseResult each : rule.cases()) {
          write(rule, each);
        }
      }
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  private void write(RuleResult rule, CaseResult result) throws XMLStreamException {
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", rule.rule().id());
    xml.writeAttribute("name", printable(result.name()));
    xml.writeAttribute("time", seconds(result.millis()));
    if (result.failure().isPresent()) {
      Failure failure = result.failure().get();
      xml.writeStartElement("failure");
      xml.writeAttribute("message", printable(rule.rule().sentence()));
      xml.writeCharacters(
          printable(
              "%s%n%s: %s".formatted(failure.message(), failure.place(), rule.rule().source())));
      xml.writeEndElement();
    } else if (result.verdict() == Verdict.SKIPPED) {
      xml.writeStartElement("skipped");
      xml.writeAttribute("message", printable(result.reason()));
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  private static String count(List<CaseResult> cases, Verdict verdict) {
    return Long.toString(cases.stream().filter(each -> each.verdict() == verdict).count());
  }

  private static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.3f", millis / 1000.0);
  }

  /** XML has no way to write other control characters, nor halves of pairs. */
  private static String printable(String text) {
    return text.codePoints()
        .map(c -> isOfXml(c) ? c : '\ufffd')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static boolean isOfXml(int c) {
    boolean isControl = c < ' ' && c != '\n' && c != '\t';
    boolean isHalf = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    return !isControl && !isHalf && c != 0xFFFE && c != 0xFFFF;
  }
}
