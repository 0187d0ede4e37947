import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { createLog } from "#lib/log.ts";
import { assertProblem, call, startApiServer, type ApiResponse, type ApiServer } from "../support/api-server.ts";
import { forEachEngine } from "../support/engines.ts";
import { newStudio } from "../support/users.ts";

const mebibyte = 1024 * 1024;

forEachEngine(
  "bodies of the JSON API",
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
      assert.deepEqual(logged, [], "nothing of this is a failure of ours");
    });

    const post = (body: string | Uint8Array, headers: Record<string, string> = {}): Promise<ApiResponse> =>
      call(server, "POST", path, { cookie, body, headers });
    const posts = async (): Promise<number> =>
      (await fixture.database.q.selectFrom("posts").select("id").execute()).length;

    /** Sends raw bytes and answers what came back by the time the other side closed, or fell silent. */
    async function raw(
      head: readonly string[],
      ...parts: readonly (string | Uint8Array)[]
    ): Promise<{ text: string; closed: boolean; socket: Socket }> {
      const { host, port } = new URL(server.base);
      const socket = connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      const chunks: Buffer[] = [];
      let closed = false;
      socket.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {});
      const always = [
        `POST ${path} HTTP/1.1`,
        `host: ${host}`,
        `origin: ${server.base}`,
        `cookie: ${cookie}`,
        "content-type: application/json",
      ];
      socket.write(`${[...always, ...head].join("\r\n")}\r\n\r\n`);
      for (const part of parts) socket.write(part);
      await Promise.race([once(socket, "close").then(() => (closed = true)), sleep(2000)]);
      return { text: Buffer.concat(chunks).toString(), closed, socket };
    }

    test("a body is good up to one mebibyte, and no byte longer (M8)", async () => {
      const filled = (bytes: number): string => `{"title":"x"${" ".repeat(bytes - 13)}}`.padEnd(bytes);
      assert.equal(Buffer.byteLength(filled(mebibyte)), mebibyte);
      assert.equal((await post(filled(mebibyte))).status, 201);
      const made = await posts();
      assertProblem(await post(filled(mebibyte + 1)), 413, "too_large");
      assertProblem(await post(filled(8 * mebibyte)), 413, "too_large");
      assert.equal(await posts(), made);
    });

    test("chunked and endless: 413, the connection is closed, nothing is done (M8)", async () => {
      const made = await posts();
      const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
      const { text, closed } = await raw(["transfer-encoding: chunked"], ...Array.from({ length: 17 }, () => chunk));
      assert.match(text, /^HTTP\/1\.1 413 /);
      assert.match(text, /"code":"too_large"/);
      assert.ok(closed, "whoever does not stop sending is cut off");
      assert.equal(await posts(), made);
    });

    test("a length that lies: more than is sent, less than is sent, none (M8)", async () => {
      const made = await posts();
      const promised = await raw([`content-length: ${100 * mebibyte}`], '{"title":"x"}');
      assert.match(promised.text, /^HTTP\/1\.1 413 /, "a promise of too much is refused before it is kept");
      assert.ok(promised.closed);
      const short = await raw(["content-length: 100"], '{"title":"x"}');
      assert.equal(short.text, "", "it waits for the rest");
      short.socket.destroy();
      const less = await raw(["content-length: 5"], '{"title":"x"}');
      assert.match(less.text, /^HTTP\/1\.1 400 /);
      const both = await raw(["content-length: 13", "transfer-encoding: chunked"], '{"title":"x"}');
      assert.match(both.text, /^HTTP\/1\.1 400 /);
      for (const { socket } of [promised, less, both]) socket.destroy();
      await sleep(50);
      assert.equal(await posts(), made);
    });

    test("JSON in UTF-8 only, and not compressed (M9)", async () => {
      const body = '{"title":"x"}';
      for (const type of [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'application/json; charset="utf-8"',
        "Application/JSON",
      ]) {
        assert.equal((await post(body, { "content-type": type })).status, 201, type);
      }
      const made = await posts();
      const others = [
        "text/plain",
        "",
        "application/json\ta",
        "application/jsonp",
        "application/json, text/plain",
        "application/json; charset=utf-16",
        "application/json; charset=latin1",
        "application/json; boundary=x",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/merge-patch+json",
        " ; application/json",
      ];
      for (const type of others)
        assertProblem(await post(body, { "content-type": type }), 415, "unsupported_type", type);
      for (const encoding of ["gzip", "br", "deflate", "identity, gzip"]) {
        assertProblem(await post(gzipSync(body), { "content-encoding": encoding }), 415, "unsupported_type", encoding);
      }
      for (const bytes of [
        Buffer.from(`\ufeff${body}`, "utf16le"),
        Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      ])
        assertProblem(await post(bytes), 400, "invalid_input");
      assert.equal(await posts(), made);
    });

    test("what is no JSON, or JSON of another shape, is refused with words (M10)", async () => {
      const made = await posts();
      const bad = [
        "",
        "{",
        "null",
        "[]",
        "7",
        '"x"',
        "true",
        "NaN",
        '{"title":1e309}',
        '{"title":null}',
        '{"title":["x"]}',
        '{"title":{"a":1}}',
        '{"title":""}',
        '{"title":"   "}',
        '{"title":"a\\u0000b"}',
        '{"title":"a\\ud800b"}',
        '{"title":"a\\nb"}',
        `{"title":"${"x".repeat(301)}"}`,
        '{"title":"x","body":7}',
        "[".repeat(500_000),
        `{"title":${"[".repeat(65)}${"]".repeat(65)}}`,
        '{"__proto__":{"title":"x"}}',
        '{"constructor":{"title":"x"}}',
        '{"title":"x","__proto__":{"role":"owner"}}',
      ];
      for (const body of bad) {
        const answer = await post(body);
        assertProblem(answer, 400, "invalid_input", body.slice(0, 60));
        assert.doesNotMatch(
          answer.text,
          /Invalid input|Too small|ZodError|SyntaxError|Unexpected|received|at line/i,
          body.slice(0, 60),
        );
        assert.ok(answer.text.length < 1000);
      }
      assert.equal(await posts(), made);
    });

    test("the message names the field, and what was expected of it (ERR-invalid_input)", async () => {
      const owner = path.replace("/posts", "");
      const cases: [string, string, unknown, RegExp][] = [
        ["POST", path, {}, /^title: expected text, but it is missing\.$/],
        ["POST", path, { title: 7 }, /^title: expected text\.$/],
        ["POST", path, { title: "" }, /^title: expected at least 1 character\.$/],
        ["POST", path, { title: "x".repeat(301) }, /^title: expected at most 300 characters\.$/],
        ["POST", path, { title: "a\nb" }, /^title: expected one line of text\.$/],
        ["POST", path, { title: "x", colour: "red", size: 1 }, /^expected no field called colour or size\.$/],
        ["POST", path, [], /^expected an object\.$/],
        ["POST", path, { title: 1, body: 2 }, /^title: expected text; body: expected text\.$/],
        ["POST", `${owner}/invitations`, { role: "root" }, /^role: expected owner, admin or member\.$/],
        ["POST", `${owner}/invitations`, { role: "member", email: "kate" }, /^email: expected a valid email\.$/],
        [
          "POST",
          "/api/studios",
          { name: "x", timezone: "Mars" },
          /^timezone: expected a time zone such as Europe\/Paris\.$/,
        ],
        ["GET", `${path}?limit=0`, undefined, /^limit: expected at least 1\.$/],
        ["GET", `${path}?limit=x`, undefined, /^limit: expected a number\.$/],
        ["GET", `${path}?limit=1&limit=2`, undefined, /^limit: expected once, but sent 2 times\.$/],
        ["GET", `${path}?status=gone`, undefined, /^status: expected draft, ready or archived\.$/],
      ];
      for (const [method, where, body, detail] of cases) {
        const answer = await call(server, method, where, { cookie, body });
        assertProblem(answer, 400, "invalid_input");
        assert.match(answer.json.detail, detail);
      }
    });

    test("a body that breaks off is nobody's fault of ours", async () => {
      const broken = await raw(["content-length: 100"], '{"title":');
      broken.socket.destroy();
      await sleep(100);
      assert.deepEqual(logged, []);
    });

    test("long and deep input is judged in a moment (X4)", async () => {
      const began = performance.now();
      await post("[".repeat(mebibyte));
      await post(`{"title":"${"\\".repeat(mebibyte - 20)}"}`);
      await post(`{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join(",")}}`);
      assert.ok(performance.now() - began < 5000, `${performance.now() - began} ms`);
    });
  },
  ["sqlite"],
);
