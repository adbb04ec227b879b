package io.nereid.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;

/**
 * Checks the XML of a store before the SDK reads it, which does so recursively and without a limit:
 * its size, its depth, and that it has no document type and so no entities. The contents of objects
 * pass.
 */
final class S3Documents implements ExecutionInterceptor {
  /** Listings and errors of the protocol have at most four. */
  private static final int MAX_DEPTH = 16;

  private final int maxByteSize;

  S3Documents(int maxByteSize) {
    this.maxByteSize = maxByteSize;
  }

  @Override
  public Optional<InputStream> modifyHttpResponseContent(
      Context.ModifyHttpResponse context, ExecutionAttributes attributes) {
    Optional<InputStream> body = context.responseBody();
    if (!context.httpResponse().isSuccessful()) {
      return body.map(this::checkedError);
    }
    return context.request() instanceof GetObjectRequest ? body : body.map(this::checked);
  }

  /** The status of an error counts, also if a proxy explains it in a page of another form. */
  private InputStream checkedError(InputStream body) {
    try {
      return checked(body);
    } catch (SdkClientException _) {
      return InputStream.nullInputStream();
    }
  }

  /**
   * Reads a document.
   *
   * @return its bytes
   * @throws SdkClientException with a {@link StreamCorruptedException} if it is too large or too
   *     deep, or has a document type; without one if it is no XML, as a document that is cut, or
   *     the connection is lost
   */
  InputStream checked(InputStream body) {
    try {
      byte[] bytes = body.readNBytes(maxByteSize + 1);
      if (bytes.length > maxByteSize) {
        throw unreadable("the store sent a document of more than %d bytes".formatted(maxByteSize));
      }
      if (bytes.length > 0) { // errors need not have a body
        requireText(bytes);
        requireFlat(bytes);
      }
      return new ByteArrayInputStream(bytes);
    } catch (CharacterCodingException malformed) {
      throw SdkClientException.create("the store sent no UTF-8: " + malformed, malformed);
    } catch (IOException lost) {
      throw SdkClientException.create("connection lost: " + lost, lost);
    }
  }

  /** The JDK's parser writes of malformed text to the process's standard error. */
  private static void requireText(byte[] bytes) throws CharacterCodingException {
    UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
  }

  private static void requireFlat(byte[] bytes) {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    try {
      XMLStreamReader reader = factory.createXMLStreamReader(new ByteArrayInputStream(bytes));
      for (int depth = 0; reader.hasNext(); ) {
        int event = reader.next();
        if (event == XMLStreamConstants.START_ELEMENT) {
          depth++;
          if (depth > MAX_DEPTH) {
            throw unreadable(
                "the store sent a document with more than %d elements in each other"
                    .formatted(MAX_DEPTH));
          }
        } else if (event == XMLStreamConstants.END_ELEMENT) {
          depth--;
        } else if (event == XMLStreamConstants.DTD
            || event == XMLStreamConstants.ENTITY_REFERENCE) {
          throw unreadable("the store sent a document with a document type or entities");
        }
      }
    } catch (XMLStreamException malformed) {
      throw SdkClientException.create("the store sent no XML: " + malformed, malformed);
    }
  }

  private static SdkClientException unreadable(String problem) {
    return SdkClientException.create(problem, new StreamCorruptedException(problem));
  }
}
