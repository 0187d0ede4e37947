import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { z } from "zod";
import { defineTool } from "#mcp/define-tool.ts";
import { tools } from "#mcp/tool-list.ts";
import { forEachEngine } from "../support/engines.ts";
import { initialize, callLegacy, callModern, startMcpServer, type TestMcpServer } from "../support/mcp.ts";
import { newStudio } from "../support/users.ts";
import { createTestGrant } from "../support/tokens.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

forEachEngine(
  "long messages",
  (fixture) => {
    let server: TestMcpServer;
    const fileTool = defineTool({
      name: "take_file",
      title: "Take a file",
      description: "Answers the digest of what it was given.",
      scope: "studio:write",
      action: "assets.write",
      hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
      acceptsFile: true,
      uploadGuide: "for files you hold as bytes.",
      input: z.strictObject({ base64: z.string(), filename: z.string() }),
      output: z.object({ digest: z.string(), filename: z.string() }),
      run: async (_, __, { base64, filename }) => ({ digest: sha256(base64), filename }),
    });
    before(async () => void (server = await startMcpServer(fixture, { tools: [...tools, fileTool] })));
    after(() => server.close());

    test("a tool that takes a file gets its long string whole, on both wires, up to the cap; the instructions name it", async () => {
      const owner = await newStudio(fixture.deps);
      const me = { url: server.url, token: (await createTestGrant(fixture.deps, owner)).token };
      const { session, response: answer } = await initialize(me);
      assert.match(
        answer.json.result.instructions,
        /choose a tool by where the file is:\n(- .*\n)*- take_file: for files you hold as bytes\./,
      );
      const base64 = Buffer.alloc(11 * 1024 * 1024, "abc/+").toString("base64");
      for (const filename of ["short.png", `${"long ".repeat(100)}\\ud83d\\ude00 "quoted".png`]) {
        const args = { name: "take_file", arguments: { base64, filename } };
        for (const got of [
          await callModern(me, "tools/call", args),
          await callLegacy({ ...me, session }, "tools/call", args),
        ]) {
          assert.deepEqual(got.json.result.structuredContent, { digest: sha256(base64), filename });
        }
      }
    });

    test("a long message to any other tool is invalid input, told under its own id", async () => {
      const owner = await newStudio(fixture.deps);
      const me = { url: server.url, token: (await createTestGrant(fixture.deps, owner)).token };
      const got = await callModern(
        me,
        "tools/call",
        { name: "create_post", arguments: { title: "x", body: "y".repeat(2 * 1024 * 1024) } },
        {},
        "an id of mine",
      );
      assert.equal(got.json.id, "an id of mine");
      assert.equal(got.json.result.structuredContent.code, "invalid_input");
      const whole = await callModern(me, "tools/call", {
        name: "create_post",
        arguments: { title: "x", body: "😀".repeat(50_000) },
      });
      assert.equal(whole.json.result.structuredContent.body, "😀".repeat(50_000));
    });

    test("a long message that brings no arguments is invalid input too", async () => {
      const owner = await newStudio(fixture.deps);
      const me = { url: server.url, token: (await createTestGrant(fixture.deps, owner)).token };
      const _meta = { "example.com/long": "y".repeat(2 * 1024 * 1024) };
      const got = await callLegacy(me, "tools/call", { name: "upload_asset_inline", _meta });
      assert.equal(got.json.result.structuredContent.code, "invalid_input");
    });
  },
  ["sqlite"],
);
