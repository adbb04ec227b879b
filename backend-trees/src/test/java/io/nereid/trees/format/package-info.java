@org.jspecify.annotations.NullMarked
package io.nereid.trees.format;
