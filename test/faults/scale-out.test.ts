import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { listEngines } from "../support/engines.ts";
import { startFleet, type Fleet } from "../support/fleet.ts";
import { callModern } from "../support/mcp.ts";
import { findNginx } from "../support/nginx.ts";
import { refreshTokens, register } from "../support/oauth-client.ts";
import { jpeg } from "../support/samples.ts";
import { putBytes, sha256, listStoreNames } from "../support/stores.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";

const able = listEngines().includes("postgres") && listStoreNames().includes("s3") && findNginx() !== undefined;

/** Each request goes to the other process than the one before: what works here keeps nothing in a process. */
describe("two processes behind nginx, on PostgreSQL and S3", { skip: !able }, () => {
  let fleet: Fleet;
  let base: string;
  let studio: StudioClient;
  let registered = 0;

  before(async () => {
    fleet = await startFleet(2);
    ({ base } = fleet);
    studio = await newStudioClient(base);
    registered++;
  });
  after(() => fleet?.close());

  test("both serve, by turns", async () => {
    const served = new Set<string | null>();
    for (let i = 0; i < 6; i++) served.add((await fetch(`${base}/readyz`)).headers.get("x-served-by"));
    assert.equal(served.size, 2);
  });

  for (const [wire, options] of [
    ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
    ["2025-11-25", {}],
  ] as const) {
    test(`a real client on the ${wire} wire goes from one to the other (C5)`, async () => {
      const client = new Client({ name: "test", version: "1" }, options);
      const transport = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${studio.tokens.access_token}` } },
      });
      await client.connect(transport);
      try {
        for (let i = 0; i < 6; i++) {
          const made = await client.callTool({ name: "create_post", arguments: { title: `P${i}`, body: "" } });
          const { id: postId } = made.structuredContent as { id: string };
          const read = await client.callTool({ name: "get_post", arguments: { postId } });
          assert.deepEqual(read.structuredContent, made.structuredContent);
        }
      } finally {
        await client.close();
      }
    });
  }

  test("a presigned upload is asked for, attached, served and taken off by whichever comes next (C5)", async () => {
    const post = await studio.call("create_post", { title: "Presigned", body: "" });
    const picture = await jpeg();
    const asked = await studio.call("request_asset_upload", { kind: "image", mimeType: "image/jpeg" });
    assert.equal(await putBytes(asked.uploadUrl, picture), 200);
    const view = await studio.call("attach_asset", { postId: post.id, assetId: asked.assetId });
    assert.deepEqual([view.status, view.bytes], ["ready", picture.length]);
    for (let i = 0; i < 2; i++) {
      const { assets } = await studio.call("get_post", { postId: post.id });
      const served = await fetch(assets[0].url);
      assert.equal(sha256(new Uint8Array(await served.arrayBuffer())), sha256(picture));
      assert.equal((await fetch(assets[0].thumbnailUrl)).status, 200);
    }
    await studio.call("detach_asset", { postId: post.id, assetId: asked.assetId });
    await studio.call("delete_asset", { assetId: asked.assetId });
  });

  test("a link made by one works at the other, and a file goes through both (C5)", async () => {
    const post = await studio.call("create_post", { title: "Linked", body: "" });
    const { url } = await studio.call("create_upload_session", { postId: post.id });
    for (let i = 0; i < 2; i++) assert.equal((await fetch(url)).status, 200);
    const headers = { "upload-token": url.split("/").at(-1), origin: base, "content-type": "application/json" };
    const api = async (path: string, body: unknown = {}): Promise<any> => {
      const answer = await fetch(`${base}/api/uploads${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      assert.equal(answer.status, 200, await answer.clone().text());
      return answer.json();
    };
    const picture = await jpeg();
    const { file } = await api("/files", { name: "a.jpg", size: picture.length, lastModified: 1 });
    const { addresses } = await api(`/files/${file.id}/addresses`, { parts: [1] });
    assert.equal(await putBytes(addresses[0].url, picture), 200);
    await api(`/files/${file.id}/complete`);
    const { assets } = await studio.call("get_post", { postId: post.id });
    assert.deepEqual([assets.length, assets[0].status, assets[0].bytes], [1, "ready", picture.length]);
  });

  test("sessions and tokens: made by one, known to the other, and ended for both at once (C5)", async () => {
    for (let i = 0; i < 4; i++) assert.equal((await studio.browser.send(`${base}/api/me`)).status, 200);
    let held = studio.tokens.refresh_token;
    for (let i = 0; i < 4; i++) {
      const answer = await refreshTokens(base, studio.client, held);
      assert.equal(answer.status, 200, answer.text);
      held = answer.body.refresh_token as string;
    }
    const other = await newStudioClient(base, "other@example.com");
    registered++;
    const headers = { origin: base, "sec-fetch-site": "same-origin" };
    const end = await other.browser.send(`${base}/api/studios/${other.studioId}/clients`, {
      method: "DELETE",
      headers,
    });
    assert.ok(end.ok, `${end.status}`);
    for (let i = 0; i < 4; i++) await assert.rejects(other.call("whoami"), /401/);
  });

  test("limits that are exact stay exact: twenty registrations an hour from one address (A26)", async () => {
    const tries = 40;
    const asked = Array.from({ length: tries }, () =>
      register(base, { redirect_uris: ["https://client.example/callback"], token_endpoint_auth_method: "none" }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    const made = statuses.filter((status) => status === 201).length;
    assert.deepEqual([made, statuses.filter((status) => status === 429).length], [20 - registered, tries - made]);
  });

  test("calls are counted by both together (ERR-rate_limited)", async () => {
    const [tries, perSecond] = [1000, 125];
    const caller = { url: `${base}/mcp`, token: studio.tokens.access_token };
    let accepted = 0;
    const calls: Promise<void>[] = [];
    for (let i = 0; i < tries; i++) {
      const one = callModern(caller, "tools/call", { name: "whoami" }).then(({ json }) => {
        if (!json.result.isError) accepted++;
        else assert.equal(json.result.structuredContent.code, "rate_limited");
      });
      calls.push(one);
      await sleep(1000 / perSecond);
    }
    await Promise.all(calls);
    // Alone, neither would have refused any: each saw 500. A minute that turns over frees what slid out of it.
    assert.ok(accepted > 550 && accepted < 900, `${accepted} of ${tries} were let through`);
  });

  test("one after the other is started anew under load, and no request fails (C4)", async () => {
    // Others: the first has used up this minute's calls, and the address its registrations.
    const people = await Promise.all(
      [1, 2, 3, 4].map((nth) => newStudioClient(base, `person${nth}@example.com`, studio.client)),
    );
    const outcomes = new Map<string, number>();
    const stop = new AbortController();
    const work = async (person: StudioClient): Promise<void> => {
      for (let i = 0; !stop.signal.aborted; i++) {
        const outcome = await one(person, i).catch((error: unknown) => String(error).slice(0, 100));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        await sleep(30);
      }
    };
    const workers = people.map(work);
    for (const nth of [0, 1]) {
      const leaving = fleet.processes[nth];
      await sleep(500);
      const asked = performance.now();
      leaving?.terminate();
      assert.equal(await leaving?.exited, 0, leaving?.getOutput());
      assert.ok(performance.now() - asked < 30_000);
      await sleep(500);
      await fleet.restart(nth);
    }
    await sleep(1500);
    stop.abort();
    await Promise.all(workers);
    assert.deepEqual([...outcomes.keys()], ["ok"], JSON.stringify([...outcomes]));
    assert.ok((outcomes.get("ok") ?? 0) > 300, `${outcomes.get("ok")} requests`);
  });

  /** Reads, writes and files, by turns. */
  async function one(client: StudioClient, i: number): Promise<"ok"> {
    if (i % 4 === 0) await client.call("list_posts", { limit: 5 });
    else if (i % 4 === 1) await client.call("create_post", { title: `P${i}`, body: "" });
    else if (i % 4 === 2) assert.equal((await client.browser.send(`${base}/api/me`)).status, 200);
    else {
      const base64 = Buffer.from(`file ${i}`).toString("base64");
      await client.call("upload_asset_inline", { kind: "document", mimeType: "text/plain", base64 });
    }
    return "ok";
  }
});
