import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import serverJson from "../../server.json" with { type: "json" };
import { readConfig } from "#config/config.ts";
import { buildServerCard, createAppsChallengeRoute } from "#http/mcp-documents.ts";
import { forOneEngine } from "../support/engines.ts";
import { callModern, newMcpClient } from "../support/mcp.ts";
import { useService } from "../support/oauth-fixture.ts";

interface ServerCard {
  name: string;
  version: string;
  title: string;
  description: string;
  remotes: { type: string; url: string; supportedProtocolVersions: string[] }[];
}

/** What Chromium sends when a person opens a URL. */
const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

forOneEngine("documents about the MCP endpoint", (fixture) => {
  const server = useService(fixture);

  test("GET /mcp/server-card describes the server as it describes itself to clients (CHAT-31)", async () => {
    const response = await fetch(`${server.base}/mcp/server-card`);
    const card = (await response.json()) as ServerCard;
    assert.equal(response.headers.get("content-type"), "application/mcp-server-card+json");
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    assert.match(card.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.ok(card.description.length <= 100);

    const { caller } = await newMcpClient(server, { url: `${server.base}/mcp` });
    const { result } = (await callModern(caller, "server/discover")).json;
    const serverInfo = result._meta["io.modelcontextprotocol/serverInfo"] as unknown as ServerCard;
    assert.deepEqual([card.version, card.title], [serverInfo.version, serverInfo.title]);
    const [remote] = card.remotes;
    assert.deepEqual([remote?.type, remote?.url], ["streamable-http", `${server.base}/mcp`]);
    assert.deepEqual(remote?.supportedProtocolVersions, ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]);
  });

  test("the AI catalog lists the server card, and server.json describes the same server (CHAT-32)", async () => {
    const response = await fetch(`${server.base}/.well-known/ai-catalog.json`);
    assert.equal(response.headers.get("content-type"), "application/ai-catalog+json");
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    const catalog = (await response.json()) as { specVersion: string; entries: { type: string; url: string }[] };
    const [entry, ...others] = catalog.entries;
    assert.deepEqual([catalog.specVersion, others], ["1.0", []]);
    const cardResponse = await fetch(entry?.url ?? "");
    assert.equal(cardResponse.headers.get("content-type"), entry?.type);
    const card = (await cardResponse.json()) as ServerCard;
    assert.deepEqual([serverJson.version, serverJson.description], [card.version, card.description]);
    assert.equal(serverJson.remotes[0]?.url, "https://{host}/mcp");
  });

  test("OPENAI_APPS_CHALLENGE is served as plain text, and nothing without it (CHAT-32)", async () => {
    assert.equal((await fetch(`${server.base}/.well-known/openai-apps-challenge`)).status, 404);
    const { handle } = createAppsChallengeRoute("a-challenge");
    const httpServer = createServer((req, res) => void handle(req, res, {} as never)).listen(0, "127.0.0.1");
    await once(httpServer, "listening");
    const response = await fetch(`http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`);
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain/);
    assert.equal(await response.text(), "a-challenge");
    httpServer.close();
    assert.throws(() => readConfig({ OPENAI_APPS_CHALLENGE: "two words" }), /OPENAI_APPS_CHALLENGE/);
  });

  test("a client that has the server card gets 304, and pages of any origin may read the card (CHAT-31)", async () => {
    const url = `${server.base}/mcp/server-card`;
    const first = await fetch(url, { headers: { origin: "https://catalog.example" } });
    const etag = first.headers.get("etag") ?? "";
    assert.match(etag, /^"\w+"$/);
    assert.equal((await fetch(url, { headers: { "if-none-match": etag } })).status, 304);
    assert.equal((await fetch(url, { headers: { "if-none-match": '"other"' } })).status, 200);
    const preflight = await fetch(url, { method: "OPTIONS", headers: { origin: "https://catalog.example" } });
    assert.equal(preflight.headers.get("access-control-allow-headers"), "Content-Type, If-None-Match");
  });

  test("the name in the server card is valid for every kind of host (CHAT-31)", () => {
    const getName = (base: string) => buildServerCard(base, { name: "atelier", version: "1.0.0" })["name"];
    assert.equal(getName("https://atelier.example.com"), "com.example.atelier/atelier");
    assert.equal(getName("http://localhost:3000"), "localhost/atelier");
    assert.equal(getName("http://127.0.0.1:3000"), "127.0.0.1/atelier");
    assert.match(String(getName("http://[2001:db8::1]")), /^[a-zA-Z0-9.-]+\/atelier$/);
  });

  test("a browser that opens /mcp gets a script-free page that links to Connect (CHAT-31, L6)", async () => {
    for (const path of ["/mcp", "/mcp/"]) {
      const response = await fetch(`${server.base}${path}`, { headers: { accept: browserAccept } });
      const page = await response.text();
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
      assert.match(response.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
      assert.equal(response.headers.get("x-frame-options"), "DENY");
      assert.ok(page.includes(`${server.base}/mcp`) && page.includes(`href="${server.base}/connect"`), page);
      assert.doesNotMatch(page, /<script/i);
    }
  });

  test("only a browser's GET without a token gets the page; MCP clients get 401 (CHAT-31, M11)", async () => {
    const getStatus = async (headers: Record<string, string>, method = "GET") =>
      (await fetch(`${server.base}/mcp`, { method, headers })).status;
    assert.equal(await getStatus({ accept: "text/event-stream" }), 401);
    assert.equal(await getStatus({ accept: "application/json, text/event-stream" }), 401);
    assert.equal(await getStatus({ accept: "*/*" }), 401);
    assert.equal(await getStatus({ accept: browserAccept }, "POST"), 401);
    assert.equal(await getStatus({ accept: browserAccept, authorization: "Bearer x" }), 401);
    assert.equal(await getStatus({ accept: browserAccept, origin: "https://evil.example" }), 403);
  });
});
