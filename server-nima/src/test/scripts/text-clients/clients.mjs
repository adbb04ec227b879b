// OpenAI's library for Node, unchanged, pointed at a server: a row for each call. clients.mjs <address of the server>
import OpenAI from "openai";
import { CohereClientV2 } from "cohere-ai";

const server = process.argv[2];
const client = new OpenAI({ baseURL: server + "/v1", apiKey: "none", maxRetries: 0 });

async function row(library, call, attempt) {
  let result;
  try {
    result = await attempt();
  } catch (failure) {
    process.exitCode = 1;
    result = `FAILED: ${failure}`;
  }
  console.log(`| ${library} | ${call} | ${result} |`);
}

function check(condition, found) {
  if (!condition) {
    throw new Error(JSON.stringify(found));
  }
}

await row("openai (Node)", "`embeddings.create`, base64 by itself", async () => {
  const answer = await client.embeddings.create({ model: "minilm", input: ["a", "bcd"] });
  const vectors = answer.data.map((each) => each.embedding);
  check(vectors.length === 2 && vectors[1][0] === 3 && vectors[1].length === 8, vectors);
  return `${vectors.length} vectors`;
});
await row("openai (Node)", "`models.list`", async () => {
  const names = (await client.models.list()).data.map((model) => model.id);
  check(names.join() === "minilm,ranker", names);
  return `${names.length} models`;
});
await row("openai (Node)", "an unknown model", async () => {
  try {
    await client.embeddings.create({ model: "x", input: "a" });
  } catch (failure) {
    check(failure instanceof OpenAI.NotFoundError && failure.code === "model_not_found", failure);
    return "NotFoundError, `model_not_found`";
  }
  throw new Error("it was answered");
});
await row("cohere-ai (Node)", "`CohereClientV2.rerank`", async () => {
  const cohere = new CohereClientV2({ token: "none", environment: server });
  const answer = await cohere.rerank({ model: "ranker", query: "cat", documents: ["a dog", "a cat"] });
  check(answer.results[0].index === 1 && answer.results[0].relevanceScore === 0.875, answer);
  return "2 documents, the best first";
});
