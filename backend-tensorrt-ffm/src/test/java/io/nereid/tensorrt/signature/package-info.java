/** Tests on what an engine says about a configuration, without an engine. */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.signature;
