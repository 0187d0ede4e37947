import { fstatSync, write, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** The destination of log lines. `write` never throws and never blocks. */
export interface LogOutput {
  write(line: string): void;
  /** Whether a person reads the lines, so that they are not formatted as JSON. */
  isTerminal?: boolean;
  /** How many lines were dropped so far because the output was full, blocked or closed. */
  countDroppedLines?(): number;
  /** Calls the listener each time the output works again, with the number of lines dropped since the last call. */
  onRecovery?(listener: (droppedLineCount: number) => void): void;
}

export interface StandardOutput extends Required<LogOutput> {
  /** Resolves once every line written so far was sent or its write failed, or after the timeout. */
  flush(timeoutMs: number): Promise<void>;
}

interface Sink {
  /** Writes some of the bytes without blocking the event loop. */
  send(bytes: Buffer, done: (error: NodeJS.ErrnoException | null | undefined, written: number) => void): void;
  /** Writes as much as possible synchronously, before the process exits. */
  sendSync(bytes: Buffer): void;
}

/** Lines are sent in chunks: one system call per line would cost more than formatting the line. */
const chunkLength = 16 * 1024;
/** How long lines wait in the buffer at most, and how often a failing output is retried. */
const intervalMs = 200;
/** How much text is buffered for a blocked output. When the buffer is full, newer lines are dropped. */
const maxBufferedLength = 4 * 1024 * 1024;

const newline = 0x0a;
const noBytes = Buffer.alloc(0);

/**
 * Writes the log to standard output without blocking. pino's own destination retries a failing write forever and blocks
 * the process; this function drops and counts lines that could not be written.
 */
export function openStandardOutput(stdout: NodeJS.WriteStream & { fd: number }): StandardOutput {
  const stats = fstatSync(stdout.fd);
  // fs.write to a pipe or socket without a reader would block a thread of the pool, and the exit of the process.
  const sink = stats.isFIFO() || stats.isSocket() ? createStreamSink(stdout) : createFileSink(stdout.fd);
  return bufferLines(sink, stdout.isTTY);
}

function bufferLines(sink: Sink, isTerminal: boolean): StandardOutput {
  const flushLength = isTerminal ? 1 : chunkLength;
  let bufferedText = "";
  /** Bytes of a failed write to send before newer lines: all of them after EAGAIN, otherwise the rest of a partial line. */
  let unsentBytes: Buffer = noBytes;
  let isSending = false;
  let isFailing = false;
  let droppedCount = 0;
  let unreportedCount = 0;
  let reportRecovery: (droppedLineCount: number) => void = () => {};

  function drop(lineCount: number): void {
    droppedCount += lineCount;
    unreportedCount += lineCount;
  }

  function drainBuffer(): Buffer {
    const bytes =
      unsentBytes.length === 0 ? Buffer.from(bufferedText) : Buffer.concat([unsentBytes, Buffer.from(bufferedText)]);
    [bufferedText, unsentBytes] = ["", noBytes];
    return bytes;
  }

  function sendBuffered(): void {
    if (isSending || (bufferedText === "" && unsentBytes.length === 0)) return;
    isSending = true;
    const isMidLine = unsentBytes.length > 0;
    send(drainBuffer(), isMidLine);
  }

  function send(bytes: Buffer, isMidLine: boolean): void {
    sink.send(bytes, (error, written) => {
      if (error || written === 0) return fail(bytes, isMidLine, error?.code);
      if (written < bytes.length) return send(bytes.subarray(written), bytes[written - 1] !== newline);
      isSending = false;
      isFailing = false;
      if (bufferedText.length >= flushLength) sendBuffered();
      if (unreportedCount > 0) {
        const lines = unreportedCount;
        unreportedCount = 0;
        reportRecovery(lines);
      }
    });
  }

  /** Keeps the rest of a partly written line, so that the log stays readable once the output works again. */
  function fail(bytes: Buffer, isMidLine: boolean, code: string | undefined): void {
    isSending = false;
    isFailing = true;
    const partialLineLength = isMidLine ? bytes.indexOf(newline) + 1 : 0;
    const keptLength = code === "EAGAIN" ? bytes.length : partialLineLength;
    unsentBytes = bytes.subarray(0, keptLength);
    drop(countLines(bytes.subarray(keptLength)));
  }

  setInterval(sendBuffered, intervalMs).unref();
  process.once("exit", () => {
    if (bufferedText !== "" || unsentBytes.length > 0) sink.sendSync(drainBuffer());
  });

  return {
    isTerminal,
    write(line) {
      if (bufferedText.length + line.length > maxBufferedLength) return drop(1);
      bufferedText += line;
      if (bufferedText.length >= flushLength && !isSending && !isFailing) sendBuffered();
    },
    countDroppedLines: () => droppedCount,
    onRecovery: (listener) => void (reportRecovery = listener),
    async flush(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      sendBuffered();
      const isDone = () => !isSending && bufferedText === "";
      while (!isDone() && performance.now() < deadline) {
        await sleep(5);
        if (!isFailing) sendBuffered();
      }
    },
  };
}

function createFileSink(fd: number): Sink {
  return {
    send: (bytes, done) => write(fd, bytes, 0, bytes.length, null, done),
    sendSync(bytes) {
      try {
        let sentBytes = 0;
        while (sentBytes < bytes.length) sentBytes += writeSync(fd, bytes, sentBytes);
      } catch {
        // The process is exiting and cannot report the error anywhere.
      }
    },
  };
}

function createStreamSink(stream: Writable): Sink {
  stream.on("error", () => {}); // the callback of each write reports the error
  return {
    send: (bytes, done) => void stream.write(bytes, (error) => done(error, error ? 0 : bytes.length)),
    sendSync: (bytes) => void stream.write(bytes),
  };
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let index = bytes.indexOf(newline); index !== -1; index = bytes.indexOf(newline, index + 1)) lines++;
  return lines;
}
