"""The Python libraries of OpenAI, LangChain and Cohere, unchanged, pointed at a server: a row for each call.

clients.py <address of the server>
"""

import sys

import cohere
import langchain_openai
import openai
import tiktoken

server = sys.argv[1]
failed = 0


def row(library, call, attempt):
    """Prints what came of a call, whose check is an assertion."""
    global failed
    try:
        result = attempt()
    except Exception as failure:  # any: it is the row's result
        failed += 1
        result = f"FAILED: {type(failure).__name__}: {failure}"
    print(f"| {library} | {call} | {result} |", flush=True)


def vectors(found, *lengths):
    found = list(found)
    assert [vector[0] for vector in found] == list(lengths), found
    assert all(len(vector) == 8 for vector in found), found
    return f"{len(found)} vectors"


def sentence(attempt, kind, words):
    try:
        attempt()
    except kind as failure:
        assert words in str(failure), failure
        return f"{kind.__name__}: {words}"
    raise AssertionError("it was answered")


# LangChain cuts texts by OpenAI's vocabulary, which tiktoken downloads: bytes do in its place.
vocabulary = tiktoken.Encoding(
    "bytes", pat_str=r".", mergeable_ranks={bytes([each]): each for each in range(256)}, special_tokens={})
tiktoken.encoding_for_model = tiktoken.get_encoding = lambda name: vocabulary

client = openai.OpenAI(base_url=server + "/v1", api_key="none", max_retries=0)
library = f"openai {openai.__version__} (Python)"
create = client.embeddings.create
row(library, "`embeddings.create`, base64 by itself",
    lambda: vectors((each.embedding for each in create(model="minilm", input=["a", "bcd"]).data), 1, 3))
row(library, "`embeddings.create`, a string, `float`",
    lambda: vectors([create(model="minilm", input="ab", encoding_format="float").data[0].embedding], 2))


def shortened():
    answer = create(model="minilm", input="ab", dimensions=2)
    assert len(answer.data[0].embedding) == 2 and answer.usage.total_tokens == 3, answer
    return "2 of 8 dimensions, usage"


row(library, "`dimensions`", shortened)
row(library, "token ids",
    lambda: sentence(lambda: create(model="minilm", input=[[1, 2]]), openai.BadRequestError, "check_embedding_ctx_length"))
row(library, "an unknown model",
    lambda: sentence(lambda: create(model="x", input="a"), openai.NotFoundError, "the text models are"))


def models():
    names = [model.id for model in client.models.list()]
    assert names == ["minilm", "ranker"] and client.models.retrieve("minilm").id == "minilm", names
    return f"{len(names)} models"


row(library, "`models.list`, `models.retrieve`", models)

arguments = {"model": "minilm", "base_url": server + "/v1", "api_key": "none", "max_retries": 0}
library = "langchain-openai"
row(library, "`OpenAIEmbeddings`, as it is",
    lambda: sentence(
        lambda: langchain_openai.OpenAIEmbeddings(**arguments, tiktoken_enabled=True).embed_documents(["a"]),
        openai.BadRequestError, "check_embedding_ctx_length"))
row(library, "`check_embedding_ctx_length=False`",
    lambda: vectors(
        langchain_openai.OpenAIEmbeddings(**arguments, check_embedding_ctx_length=False).embed_documents(["a", "bcd"]), 1, 3))


def ranked(results):
    assert [(each.index, each.relevance_score) for each in results] == [(1, 0.875), (0, 0.125)], results
    return "2 documents, the best first"


library = f"cohere {cohere.__version__} (Python)"
question = {"model": "ranker", "query": "cat", "documents": ["a dog", "a cat"]}
row(library, "`ClientV2.rerank`",
    lambda: ranked(cohere.ClientV2(api_key="none", base_url=server).rerank(**question).results))
row(library, "`Client.rerank`",
    lambda: ranked(cohere.Client(api_key="none", base_url=server).rerank(**question).results))
sys.exit(failed > 0)
