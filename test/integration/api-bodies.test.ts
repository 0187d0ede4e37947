import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { createLog } from "#lib/log.ts";
import { assertProblem, call, startApiServer, type ApiResponse, type ApiServer } from "../support/api-server.ts";
import { forEachEngine } from "../support/engines.ts";
import { newStudio } from "../support/users.ts";
import { waitForClose } from "../support/wait-for-close.ts";

const mebibyte = 1024 * 1024;

forEachEngine(
  "JSON API request bodies",
  (fixture) => {
    let server: ApiServer;
    let cookie: string;
    let path: string;
    const logged: string[] = [];
    const log = createLog("warn", { write: (line: string) => void logged.push(line) });

    before(async () => {
      server = await startApiServer(fixture.deps, log);
      const owner = await newStudio(fixture.deps);
      cookie = await server.signIn(owner);
      path = `/api/studios/${owner.studio.id}/posts`;
    });
    after(async () => {
      await server.close();
      assert.deepEqual(logged, [], "a client error is never logged as a server failure");
    });

    const post = (body: string | Uint8Array, headers: Record<string, string> = {}): Promise<ApiResponse> =>
      call(server, "POST", path, { cookie, body, headers });
    const countPosts = async (): Promise<number> =>
      (await fixture.database.q.selectFrom("posts").select("id").execute()).length;

    /** Sends raw bytes on a connection of its own. */
    async function sendRaw(
      head: readonly string[],
      parts: readonly string[],
    ): Promise<{ socket: Socket; read(): string }> {
      const { host, port } = new URL(server.base);
      const socket = connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk.toString())).on("error", () => {});
      const commonHead = [
        `POST ${path} HTTP/1.1`,
        `host: ${host}`,
        `origin: ${server.base}`,
        `cookie: ${cookie}`,
        "content-type: application/json",
      ];
      socket.write(`${[...commonHead, ...head].join("\r\n")}\r\n\r\n`);
      for (const part of parts) socket.write(part);
      return { socket, read: () => text };
    }

    /** Returns what the server sends until it closes the connection. */
    async function readUntilClosed(head: readonly string[], parts: readonly string[]): Promise<string> {
      const { socket, read } = await sendRaw(head, parts);
      await waitForClose(socket);
      return read();
    }

    /** Sends less than it announces, and disconnects when a later request has a response. Returns what the server sent. */
    async function sendUnfinished(part: string): Promise<string> {
      const { socket, read } = await sendRaw(["content-length: 100"], [part]);
      assert.equal((await call(server, "GET", path, { cookie })).status, 200);
      socket.destroy();
      assert.equal((await call(server, "GET", path, { cookie })).status, 200);
      return read();
    }

    test("accepts a body of one mebibyte, and rejects a larger one (M8)", async () => {
      const bodyOfSize = (bytes: number): string => `{"title":"x"${" ".repeat(bytes - 13)}}`.padEnd(bytes);
      assert.equal(Buffer.byteLength(bodyOfSize(mebibyte)), mebibyte);
      assert.equal((await post(bodyOfSize(mebibyte))).status, 201);
      const postCount = await countPosts();
      assertProblem(await post(bodyOfSize(mebibyte + 1)), 413, "too_large");
      assertProblem(await post(bodyOfSize(8 * mebibyte)), 413, "too_large");
      assert.equal(await countPosts(), postCount);
    });

    test("an endless chunked body gets 413, a closed connection, and changes nothing (M8)", async () => {
      const postCount = await countPosts();
      const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
      const text = await readUntilClosed(
        ["transfer-encoding: chunked"],
        Array.from({ length: 17 }, () => chunk),
      );
      assert.match(text, /^HTTP\/1\.1 413 /);
      assert.match(text, /"code":"too_large"/);
      assert.equal(await countPosts(), postCount);
    });

    test("creates no post if Content-Length is too large, too small, or combined with Transfer-Encoding (M8)", async () => {
      const postCount = await countPosts();
      const overLimit = await readUntilClosed([`content-length: ${100 * mebibyte}`], ['{"title":"x"}']);
      assert.match(overLimit, /^HTTP\/1\.1 413 /, "rejected before the body arrives");
      assert.equal(await sendUnfinished('{"title":"x"}'), "", "the server waits for the rest");
      const tooSmall = await readUntilClosed(["content-length: 5"], ['{"title":"x"}']);
      assert.match(tooSmall, /^HTTP\/1\.1 400 /);
      const both = await readUntilClosed(["content-length: 13", "transfer-encoding: chunked"], ['{"title":"x"}']);
      assert.match(both, /^HTTP\/1\.1 400 /);
      assert.equal(await countPosts(), postCount);
    });

    test("accepts only uncompressed JSON in UTF-8 (M9)", async () => {
      const body = '{"title":"x"}';
      for (const type of ["application/json;charset=UTF-8", 'application/json; charset="utf-8"', "Application/JSON"])
        assert.equal((await post(body, { "content-type": type })).status, 201, type);
      const postCount = await countPosts();
      const otherTypes = [
        "text/plain",
        "",
        "application/json\ta",
        "application/jsonp",
        "application/json, text/plain",
        "application/json; charset=utf-16",
        "application/json; boundary=x",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/merge-patch+json",
        " ; application/json",
      ];
      for (const type of otherTypes)
        assertProblem(await post(body, { "content-type": type }), 415, "unsupported_type", type);
      for (const encoding of ["gzip", "br", "identity, gzip"])
        assertProblem(await post(gzipSync(body), { "content-encoding": encoding }), 415, "unsupported_type", encoding);
      for (const bytes of [Buffer.from(`\ufeff${body}`, "utf16le"), Buffer.from('{"\xff":1}', "latin1")])
        assertProblem(await post(bytes), 400, "invalid_input");
      assert.equal(await countPosts(), postCount);
    });

    test("rejects invalid JSON and JSON of the wrong shape with a readable message (M10, X4)", async () => {
      const postCount = await countPosts();
      const invalidBodies = [
        ...["", "{", "null", "[]", "7", '"x"', "NaN", '{"title":1e309}', '{"title":null}', '{"title":["x"]}'],
        ...['{"title":"a\\u0000b"}', '{"title":"a\\ud800b"}', '{"title":"x","body":7}'],
        ...[
          '{"__proto__":{"title":"x"}}',
          '{"constructor":{"title":"x"}}',
          '{"title":"x","__proto__":{"role":"owner"}}',
        ],
        `{"title":"${"\\".repeat(mebibyte - 20)}"}`,
      ];
      const hugeBodies = [
        `{"title":${"[".repeat(65)}${"]".repeat(65)}}`,
        "[".repeat(mebibyte),
        `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join(",")}}`,
      ];
      for (const body of [...invalidBodies, ...hugeBodies]) {
        const response = await post(body);
        assertProblem(response, 400, "invalid_input", body.slice(0, 60));
        assert.doesNotMatch(
          response.text,
          /Invalid input|Too small|ZodError|SyntaxError|Unexpected|received|at line/i,
          body.slice(0, 60),
        );
        assert.ok(response.text.length < 1000);
        if (hugeBodies.includes(body)) assert.match(response.json.detail, /nested too deeply or has too many values/);
      }
      assert.equal(await countPosts(), postCount);
    });

    test("the message of an error names the field and what it expects (ERR-invalid_input, T8)", async () => {
      const invitations = path.replace("/posts", "/invitations");
      const bodies: [path: string, body: unknown, detail: string][] = [
        [path, {}, "title: expected text, but it is missing."],
        [path, { title: "" }, "title: expected at least 1 character."],
        [path, { title: "x".repeat(301) }, "title: expected at most 300 characters."],
        [path, { title: "a\nb" }, "title: expected one line of text."],
        [path, { title: "x", colour: "red", size: 1 }, "expected no field called colour or size."],
        [path, [], "expected an object."],
        [path, { title: 1, body: 2 }, "title: expected text; body: expected text."],
        [invitations, { role: "root" }, "role: expected owner, admin or member."],
        [invitations, { role: "member", email: "kate" }, "email: expected a valid email."],
        ["/api/studios", { name: "x", timezone: "Mars" }, "timezone: expected a time zone such as Europe/Paris."],
      ];
      const queries: Record<string, string> = {
        "limit=0": "limit: expected at least 1.",
        "limit=x": "limit: expected a number.",
        "limit=1e9": "limit: expected a number.",
        "limit=0x10": "limit: expected a number.",
        "limit=%20": "limit: expected a number.",
        "limit=1.5": "limit: expected a number.",
        "limit=-1": "limit: expected at least 1.",
        "query=%00": "query: expected text without NUL characters or unpaired surrogates.",
        "studioId=x": "expected no field called studioId.",
        "__proto__=1": "expected no field called __proto__.",
        "limit=1&limit=2": "limit: expected once, but sent 2 times.",
        "status=gone": "status: expected draft, ready or archived.",
      };
      for (const [target, body, detail] of bodies)
        assert.equal((await call(server, "POST", target, { cookie, body })).json.detail, detail);
      for (const [query, detail] of Object.entries(queries))
        assert.equal((await call(server, "GET", `${path}?${query}`, { cookie })).json.detail, detail);
    });

    test("a body that ends early is not logged", async () => {
      await sendUnfinished('{"title":');
      assert.deepEqual(logged, []);
    });
  },
  ["sqlite"],
);
