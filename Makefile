# The habits of this code base; ./nereid is for everyone else.
SHELL := bash
mvnw := . server-nima/src/main/dist/bin/jdk25.sh && use_jdk javac && ./mvnw -B -ntp

.PHONY: verify format tck run

verify:
	./nereid test

format:
	$(mvnw) -q spotless:apply

tck:
	$(mvnw) test -pl tck -am

run:
	./nereid serve --model-repository examples/models
