import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import type { PublicationView } from "#domain/model/publication.ts";
import { getPublishProgress, publishPost } from "#domain/publishing/publish-post.ts";
import { hours } from "#lib/clock.ts";
import { fromNow } from "../support/clock.ts";
import { forOneEngine } from "../support/engines.ts";
import type { McpCaller } from "../support/mcp.ts";
import { startPublishing } from "../support/publishing-fixture.ts";
import { callAsTask, getTask, requestTask, waitForTask, type TaskResult } from "../support/task-client.ts";
import { createTestGrant } from "../support/tokens.ts";
import { startForSuite } from "../support/start-for-suite.ts";

forOneEngine("publishing as a task", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour", "quay"], { runsWorker: false }));
  let client: McpCaller;
  before(async () => {
    const { token } = await createTestGrant(publishing.service.deps, publishing.owner);
    client = { url: `${publishing.service.base}/mcp`, token };
  });

  async function publish(args: object = {}): Promise<TaskResult> {
    const { service, owner, connectionIds } = publishing;
    const { id: postId } = await createPost(service.deps, owner, { title: "A post", body: "To be published" });
    return callAsTask(client, "publish_post", { postId, connectionIds, ...args });
  }
  const listStates = ({ structuredContent }: Pick<TaskResult, "structuredContent">) =>
    (structuredContent["publications"] as PublicationView[]).map(({ state }) => state);

  test("a publication that is proposed or scheduled for later needs no task (TASK-4)", async () => {
    const proposed = await publish({ propose: true });
    assert.deepEqual([proposed.resultType, listStates(proposed)], ["complete", ["proposed", "proposed"]]);
    const later = await publish({ at: fromNow(hours(1)) });
    assert.deepEqual([later.resultType, listStates(later)], ["complete", ["scheduled", "scheduled"]]);
  });

  test("the progress of all publications is read with one query (TASK-4)", async () => {
    const { service, owner, connectionIds } = publishing;
    const { id: postId } = await createPost(service.deps, owner, { title: "A post", body: "To be published" });
    const requested = await publishPost(service.deps, owner, { postId, connectionIds, propose: true });
    const queries: string[] = [];
    const publications = new Proxy(service.deps.publications, {
      get(store, name, receiver) {
        queries.push(String(name));
        return Reflect.get(store, name, receiver) as unknown;
      },
    });
    const { output } = await getPublishProgress({ ...service.deps, publications }, owner, requested);
    assert.deepEqual(output, requested);
    assert.deepEqual([output.publications.length, queries.length], [2, 1]);
  });

  test("canceling a task cancels the publications that have not started (TASK-4)", async () => {
    const { resultType, taskId } = await publish();
    assert.equal(resultType, "task");
    assert.equal((await getTask(client, taskId)).status, "working");
    await requestTask(client, "tasks/cancel", { taskId });
    const ended = await getTask(client, taskId);
    assert.deepEqual([ended.status, listStates(ended.result)], ["completed", ["canceled", "canceled"]]);
  });

  test("the task ends when every publication is final, and reports the URLs of the public posts (TASK-4)", async () => {
    const { taskId } = await publish();
    assert.equal((await getTask(client, taskId)).status, "working");
    publishing.service.startWorker();
    const ended = await waitForTask(client, taskId);
    assert.deepEqual([ended.status, listStates(ended.result)], ["completed", ["published", "published"]]);
    const [publication] = ended.result.structuredContent["publications"] as PublicationView[];
    assert.match(publication?.url ?? "", /^http/);
    assert.deepEqual((await getTask(client, taskId)).result, ended.result, "the result does not change any more");
  });
});
