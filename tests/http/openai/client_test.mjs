// What a program with OpenAI's client does, against the server at BASE_URL (openai_javascript_test.py).
import assert from "node:assert/strict";
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.env.BASE_URL, apiKey: process.env.API_KEY, maxRetries: 0 });
const greeting = "Grüße, 世界 🙂!\nEND of it\n";
const renamed = "def fresh(a):\n    return a + 1\n";
const hello = { model: "scripted", messages: [{ role: "user", content: "world" }] };
const rename = { model: "scripted", messages: [{ role: "user", content: "rename it" }] };
const prediction = { type: "content", content: "def old(a):\n    return a + 1\n" };

async function textOf(stream) {
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? "";
  return text;
}

const steps = {
  async listsModels() {
    const models = await client.models.list();
    assert.deepEqual(models.data.map((model) => model.id), ["scripted"]);
  },
  async chats() {
    const answer = await client.chat.completions.create(hello);
    assert.equal(answer.choices[0].message.content, greeting);
    assert.equal(answer.choices[0].finish_reason, "stop");
  },
  async streams() {
    assert.equal(await textOf(await client.chat.completions.create({ ...hello, stream: true })), greeting);
    const stopped = await client.chat.completions.create({ ...hello, stream: true, stop: "END" });
    assert.equal(await textOf(stopped), greeting.slice(0, greeting.indexOf("END")));
  },
  async predicts() {
    const answer = await client.chat.completions.create({ ...rename, prediction });
    assert.equal(answer.choices[0].message.content, renamed);
    assert.ok(answer.usage.completion_tokens_details.accepted_prediction_tokens > 10);
    assert.equal(await textOf(await client.chat.completions.create({ ...rename, prediction, stream: true })), renamed);
  },
  async readsErrors() {
    await assert.rejects(client.chat.completions.create({ ...hello, n: 9 }), { status: 400, param: "n" });
    const stranger = new OpenAI({ baseURL: process.env.BASE_URL, apiKey: "wrong", maxRetries: 0 });
    await assert.rejects(stranger.models.list(), { status: 401 });
  },
};

for (const step of Object.values(steps)) await step();
console.log(`${Object.keys(steps).length} steps`);
