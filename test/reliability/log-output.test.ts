import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { onExit } from "../support/at-exit.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { parseStrictly } from "../support/strict-json.ts";
import { waitUntil } from "../support/wait-until.ts";
import { skipWithout } from "../support/find-program.ts";

interface LogLine {
  msg: string;
  path?: string;
  lines?: number;
}

const isRoot = process.getuid?.() === 0;

describe("standard output that does not accept the log", () => {
  const cleanups: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
  });

  function newFolder(): string {
    const folder = createTempFolder();
    cleanups.push(folder.remove);
    return folder.path;
  }

  async function start(stdout: number): Promise<{ service: MainProcess; base: string }> {
    const base = await findFreeBaseUrl();
    const env = { PORT: new URL(base).port, BASE_URL: base, DATA_DIR: join(newFolder(), "data") };
    const service = await startMain(env, [], stdout);
    cleanups.push(() => service.kill());
    return { service, base };
  }

  test(
    "a full disk: the service keeps serving, counts the dropped lines, and logs again once space is free",
    {
      skip: skipWithout("mount", "umount") || (!isRoot && "needs root, to mount a small disk"),
    },
    async () => {
      const disk = mountSmallDisk(newFolder(), cleanups);
      const filler = join(disk, "filler");
      writeFileSync(filler, Buffer.alloc(128 * 1024));
      const log = join(disk, "log");
      const { service, base } = await start(openSync(log, "a"));

      await sendRequests(base, "/before", 600);
      await waitUntil(async () => (await getDroppedLines(base)) > 0, { description: "dropped lines" });
      await sendRequests(base, "/while-full", 50);

      rmSync(filler);
      await waitUntil(() => readFileSync(log, "utf8").includes("log lines dropped"), {
        description: "a line about dropped lines",
      });
      await sendRequests(base, "/after", 5);
      await waitUntil(
        () => parseLogLines(readFileSync(log, "utf8")).filter(({ path }) => path === "/after").length === 5,
      );
      const droppedLine = parseLogLines(readFileSync(log, "utf8")).find(({ msg }) => msg === "log lines dropped");
      assert.equal(droppedLine?.lines, await getDroppedLines(base));
      service.terminate();
      assert.equal(await service.exited, 0);
      assert.match(readFileSync(log, "utf8"), /"msg":"draining"\}\n$/, "the last line is complete");
    },
  );

  test("a disk that stays full: the service keeps serving, and still exits on SIGTERM", async () => {
    const { service, base } = await start(openSync("/dev/full", "w"));
    await sendRequests(base, "/", 100);
    await waitUntil(async () => (await getDroppedLines(base)) >= 100, { description: "dropped lines" });
    service.terminate();
    assert.equal(await service.exited, 0);
  });

  test(
    "a closed pipe: the service keeps serving, and still exits on SIGTERM",
    { skip: skipWithout("mkfifo") },
    async () => {
      const pipe = openPipe(newFolder());
      const { service, base } = await start(pipe.writer);
      closeSync(pipe.writer);
      closeSync(pipe.reader);
      await sendRequests(base, "/", 100);
      await waitUntil(async () => (await getDroppedLines(base)) >= 100, { description: "dropped lines" });
      await sendRequests(base, "/", 100);
      await waitUntil(async () => (await getDroppedLines(base)) >= 200, { description: "more dropped lines" });
      service.terminate();
      assert.equal(await service.exited, 0);
    },
  );

  test(
    "a pipe whose reader stops: the service keeps serving, buffers a bounded part of the log, and counts every dropped line",
    { skip: skipWithout("mkfifo") },
    async () => {
      const pipe = openPipe(newFolder());
      const { service, base } = await start(pipe.writer);
      closeSync(pipe.writer);
      const path = `/${"x".repeat(38)}`.repeat(5); // longer segments would be redacted
      await sendRequests(base, path, 20_000);
      await waitUntil(async () => (await getDroppedLines(base)) > 1000, { description: "dropped lines" });

      let text = "";
      await waitUntil(() => (text += readAll(pipe.reader)).includes("log lines dropped"), {
        description: "a line about dropped lines",
      });
      assert.ok(text.length < 4.5 * 1024 * 1024, `${text.length} bytes were buffered in memory`);
      const lines = parseLogLines(text);
      const reportedCount = lines.find(({ msg }) => msg === "log lines dropped")?.lines ?? 0;
      const loggedCount = lines.filter((line) => line.path === path).length;
      assert.ok(loggedCount + reportedCount >= 20_000, `${loggedCount} logged, ${reportedCount} dropped`);
      assert.equal(reportedCount, await getDroppedLines(base));

      await sendRequests(base, path, 500);
      service.terminate();
      assert.equal(await service.exited, 0, "it exits although the reader stopped again");
      closeSync(pipe.reader);
    },
  );
});

function mountSmallDisk(folder: string, cleanups: (() => void)[]): string {
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=192k", "tmpfs", folder]);
  const unmount = () => {
    execFileSync("umount", ["--lazy", folder]);
    unregister();
  };
  const unregister = onExit(unmount);
  cleanups.push(unmount);
  return folder;
}

/** Opens a named pipe with the default buffer of 64 KB; this process is the reader. */
function openPipe(folder: string): { reader: number; writer: number } {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, constants.O_WRONLY) };
}

function readAll(fd: number): string {
  const chunk = Buffer.alloc(64 * 1024);
  let text = "";
  for (;;) {
    try {
      const length = readSync(fd, chunk);
      if (length === 0) return text;
      text += chunk.toString("latin1", 0, length);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return text;
      throw error;
    }
  }
}

function parseLogLines(text: string): LogLine[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => parseStrictly(line) as LogLine);
}

/** Sends many requests over one connection, ten at a time, and asserts that each gets a response. */
async function sendRequests(base: string, path: string, count: number): Promise<void> {
  const { port, host } = new URL(base);
  const socket = connect(Number(port), "127.0.0.1");
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  let text = "";
  let sentCount = 0;
  let responseCount = 0;
  const sendMore = (): void => {
    const batchSize = Math.min(10, count - sentCount);
    sentCount += batchSize;
    if (batchSize === 0) socket.end();
    else socket.write(request.repeat(batchSize));
  };
  sendMore();
  for await (const chunk of socket) {
    text += String(chunk);
    responseCount += text.split("HTTP/1.1 ").length - 1;
    text = text.slice(-8); // shorter than the separator, so that no response counts twice
    if (responseCount === sentCount) sendMore();
  }
  assert.equal(responseCount, count);
}

async function getDroppedLines(base: string): Promise<number> {
  const response = await fetch(`${base}/metrics`);
  const value = /^log_lines_dropped_total (\d+)$/m.exec(await response.text())?.[1];
  assert.ok(value !== undefined, "the metric is missing");
  return Number(value);
}
