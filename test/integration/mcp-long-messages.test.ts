import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { z } from "zod";
import { defineTool } from "#mcp/define-tool.ts";
import { tools } from "#mcp/tool-list.ts";
import { forEachEngine } from "../support/engines.ts";
import { initialize, callLegacy, callModern, newMcpClient, useMcpServer } from "../support/mcp.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

forEachEngine(
  "long MCP messages",
  (fixture) => {
    const fileTool = defineTool({
      name: "hash_file",
      title: "Hash a file",
      description: "Returns the digest of the file.",
      action: "assets.write",
      hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
      acceptsFile: true,
      uploadGuide: "for files you hold as bytes.",
      input: z.strictObject({ base64: z.string(), filename: z.string() }),
      output: z.object({ digest: z.string(), filename: z.string() }),
      run: async (_, __, { base64, filename }) => ({ digest: sha256(base64), filename }),
    });
    const server = useMcpServer(fixture, { tools: [...tools, fileTool] });

    test("a file tool receives a long string unchanged in both protocol versions, and the instructions list the tool", async () => {
      const { caller } = await newMcpClient(fixture, server);
      const { session, response } = await initialize(caller);
      assert.match(
        response.json.result.instructions,
        /choose a tool by where the file is:\n(- .*\n)*- hash_file: for files you hold as bytes\./,
      );
      const base64 = Buffer.alloc(11 * 1024 * 1024, "abc/+").toString("base64");
      for (const filename of ["short.png", `${"long ".repeat(100)}\\ud83d\\ude00 "quoted".png`]) {
        const args = { name: "hash_file", arguments: { base64, filename } };
        for (const result of [
          await callModern(caller, "tools/call", args),
          await callLegacy({ ...caller, session }, "tools/call", args),
        ]) {
          assert.deepEqual(result.json.result.structuredContent, { digest: sha256(base64), filename });
        }
      }
    });

    test("rejects a long message to any other tool, or without arguments, as invalid input, with the id of the request", async () => {
      const { caller, call } = await newMcpClient(fixture, server);
      const result = await callModern(
        caller,
        "tools/call",
        { name: "create_post", arguments: { title: "x", body: "y".repeat(2 * 1024 * 1024) } },
        {},
        "request-1",
      );
      assert.equal(result.json.id, "request-1");
      assert.equal(result.json.result.structuredContent.code, "invalid_input");
      const maxBody = await call("create_post", { title: "x", body: "😀".repeat(50_000) });
      assert.equal(maxBody.structuredContent.body, "😀".repeat(50_000));
      const _meta = { "example.com/long": "y".repeat(2 * 1024 * 1024) };
      const withoutArguments = await callLegacy(caller, "tools/call", { name: "upload_asset_inline", _meta });
      assert.equal(withoutArguments.json.result.structuredContent.code, "invalid_input");
    });
  },
  ["sqlite"],
);
