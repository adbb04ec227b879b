@org.jspecify.annotations.NullMarked
package io.nereid.text.tokenizer;
