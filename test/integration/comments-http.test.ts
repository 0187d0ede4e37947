import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import type { CommentView } from "#domain/model/comment.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { forOneEngine } from "../support/engines.ts";
import { addPost } from "../support/history-fixture.ts";
import { newMember, newStudio } from "../support/users.ts";
import { startForSuite } from "../support/start-for-suite.ts";

interface Page {
  comments: CommentView[];
  nextCursor: string | null;
}

forOneEngine("comments over HTTP", (fixture) => {
  const server = startForSuite(() => startApiServer(fixture.deps));

  async function createScene() {
    const { deps } = server;
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const { postId } = await addPost(deps, owner);
    const studio = `/api/studios/${owner.studio.id}`;
    const cookies = new Map<Caller, string>();
    for (const caller of [owner, member]) cookies.set(caller, await server.signIn(caller));
    const send = <T>(caller: Caller, method: string, path: string, body?: unknown, headers = {}) =>
      call<T>(server, method, `${studio}${path}`, { cookie: cookies.get(caller), body, headers });
    return { owner, member, postId, send };
  }

  test("people list, add, resolve and delete comments, with and without the post in the path (COM-2, T2)", async () => {
    const { owner, member, postId, send } = await createScene();
    const path = `/posts/${postId}/comments`;
    const added = await send<CommentView>(owner, "POST", path, { body: "  A question " });
    assert.equal(added.status, 201);
    assert.deepEqual([added.json.body, added.json.client], ["A question", null]);
    const reply = await send<CommentView>(member, "POST", path, { body: "An answer", parentId: added.json.id });
    assert.equal(reply.json.parentId, added.json.id);

    const list = await send<Page>(member, "GET", path);
    assert.deepEqual(list.json, { comments: [added.json, reply.json], nextCursor: null });
    const etag = list.headers.get("etag") ?? "";
    assert.equal((await send(member, "GET", path, undefined, { "if-none-match": etag })).status, 304);
    const { nextCursor } = (await send<Page>(member, "GET", `${path}?limit=1`)).json;
    const secondPage = await send<Page>(member, "GET", `${path}?limit=1&cursor=${nextCursor}`);
    assert.deepEqual(secondPage.json.comments, [reply.json]);

    const resolved = await send<CommentView>(member, "PATCH", `${path}/${added.json.id}`, { resolved: true });
    assert.equal(resolved.json.resolvedBy?.name, member.user.name);
    assert.equal((await send(member, "GET", path, undefined, { "if-none-match": etag })).status, 200);
    const reopened = await send<CommentView>(owner, "PATCH", `/comments/${added.json.id}`, { resolved: false });
    assert.equal(reopened.json.resolvedAt, null);
    for (const [method, target, body] of [
      ["POST", path, { body: "\u200b" }],
      ["POST", path, { body: "A", userId: "usr_x" }],
      ["PATCH", `/comments/${added.json.id}`, { resolved: true, body: "B" }],
    ] as const)
      assertProblem(await send(owner, method, target, body), 400, "invalid_input");

    assert.equal((await send(member, "DELETE", `${path}/${reply.json.id}`)).status, 204);
    assert.equal((await send(owner, "DELETE", `/comments/${added.json.id}`)).status, 204);
    assert.deepEqual((await send<Page>(owner, "GET", path)).json.comments, []);
  });
});
