import assert from "node:assert/strict";
import { test } from "node:test";
import { buildServerCard } from "#http/mcp-documents.ts";
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
