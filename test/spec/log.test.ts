import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "#lib/log.ts";

function captureLines(
  write: (log: ReturnType<typeof createLog>) => void,
  level: Parameters<typeof createLog>[0] = "info",
): string[] {
  const lines: string[] = [];
  write(createLog(level, { write: (line) => void lines.push(line) }));
  return lines;
}

test("redacts fields that can contain a secret (RUN-9)", () => {
  const secret = "s3cr3t";
  const [line = ""] = captureLines((log) =>
    log.info(
      {
        authorization: secret,
        cookie: secret,
        token: secret,
        secret,
        headers: { authorization: secret, cookie: secret, "set-cookie": [secret], accept: "*/*" },
        response: { "set-cookie": secret },
      },
      "request",
    ),
  );
  assert.doesNotMatch(line, /s3cr3t/);
  assert.match(line, /\*\/\*/, "other fields are logged");
});

test("an error of Node's HTTP parser is logged without the bytes of the request (RUN-9, F9)", () => {
  const err = Object.assign(new Error("Parse Error"), {
    code: "HPE_INVALID_EOF_STATE",
    rawPacket: Buffer.from("token"),
  });
  const [line = ""] = captureLines((log) => log.error({ err }, "failed"));
  assert.match(line, /HPE_INVALID_EOF_STATE/);
  assert.match(line, /"rawPacket":"\[redacted\]"/);
});

test("logs a request as one line of JSON, regardless of its fields (RUN-9, L4)", () => {
  const request = {
    requestId: "req_1",
    method: "GET\r\n",
    path: '/a"\u001b[31m',
    status: 200,
    ms: 1.5,
    isDisconnected: false,
  };
  const context = { tool: "x\n{}" };
  const lines = captureLines((log) => {
    log.request({ ...request, context });
    log.request({ ...request, status: 503, isDisconnected: true, context: undefined });
    log.request({ ...request, context: {} });
  });
  assert.deepEqual(
    lines.map((line) => {
      assert.match(line, /^[^\n\r\u001b]+\n$/);
      const { time: _, ...rest } = JSON.parse(line) as { time: string };
      return rest;
    }),
    [
      { level: "info", ...omitIsDisconnected(request), ...context, msg: "request" },
      // In the log, `cut` means that the client disconnected.
      { level: "warn", ...omitIsDisconnected(request), status: 503, cut: true, msg: "request" },
      { level: "info", ...omitIsDisconnected(request), msg: "request" },
    ],
  );
  assert.deepEqual(
    captureLines((log) => log.request({ ...request, context }), "warn"),
    [],
  );
});

test("logs successful probes at debug, and failed ones like other requests (RUN-9)", () => {
  const probe = {
    requestId: "req_1",
    method: "GET",
    path: "/readyz",
    ms: 1,
    isDisconnected: false,
    context: undefined,
    isProbe: true,
  };
  const logProbes = (log: ReturnType<typeof createLog>): void => {
    for (const status of [200, 401, 503]) log.request({ ...probe, status });
  };
  const readLevels = (lines: string[]) =>
    lines.map((line) => {
      const { level, status } = JSON.parse(line) as { level: string; status: number };
      return [status, level];
    });
  assert.deepEqual(readLevels(captureLines(logProbes)), [
    [401, "info"],
    [503, "warn"],
  ]);
  assert.deepEqual(readLevels(captureLines(logProbes, "debug"))[0], [200, "debug"]);
});

const omitIsDisconnected = <Fields extends { isDisconnected: boolean }>({ isDisconnected: _, ...rest }: Fields) => rest;

test("escapes line breaks and terminal sequences in values (L4)", () => {
  const lines = captureLines((log) => log.info({ agent: 'a\r\n{"level":"error"}\u001b[2J', file: "\u2028" }, "x\ny"));
  assert.equal(lines.length, 1);
  const [line = ""] = lines;
  assert.equal(line.indexOf("\n"), line.length - 1);
  assert.doesNotMatch(line.slice(0, -1), /[\r\u001b]/);
  assert.equal((JSON.parse(line) as { level: string }).level, "info");
});

test("a line is JSON with level, ISO time and message; lower levels are omitted (RUN-9)", () => {
  const lines = captureLines((log) => {
    log.debug("no");
    log.info({ a: 1 }, "yes");
  });
  assert.equal(lines.length, 1);
  const { time, ...rest } = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
  assert.deepEqual(rest, { level: "info", a: 1, msg: "yes" });
  assert.equal(new Date(String(time)).toISOString(), time);
  assert.deepEqual(
    captureLines((log) => log.fatal("no"), "silent"),
    [],
  );
});

test("on a terminal a line is readable text, without control sequences or line breaks from values; requests for static files are left out (L4)", () => {
  const lines: string[] = [];
  const log = createLog("info", { isTerminal: true, write: (line) => void lines.push(line) });
  const request = { requestId: "req_1", method: "POST", path: "/mcp", status: 200, ms: 1.5, isDisconnected: false };
  log.request({ ...request, context: { userId: "usr_1", rpcMethod: "tools/call", tool: "x\n\u001b[2J\u009b\u202e" } });
  log.request({ ...request, path: "/app.js", context: undefined, isStaticFile: true });
  log.request({ ...request, method: "GET", path: "/", isDisconnected: true, context: undefined });
  log.warn({ job: "sweep", err: new Error("a\u001b[2J") }, "a job failed\r");
  const [tool, page, failure, ...more] = lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""));
  assert.equal(tool, "POST /mcp 200 1.5 ms usr_1 tools/call x\\u{a}\\u{1b}[2J\\u{9b}\\u{202e}\n");
  assert.equal(page, "GET / 200 1.5 ms - (client disconnected)\n");
  assert.match(failure ?? "", /^warn a job failed\\u\{d\} job=sweep\n {4}Error: a\\u\{1b\}\[2J\n {8}at /);
  assert.deepEqual(more, []);
});
