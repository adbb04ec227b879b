@org.jspecify.annotations.NullMarked
package io.nereid.java.code;
