import { RequestError } from "./client.ts";

/** Without progress for this long, the connection counts as lost. */
const stallTimeoutMs = 45_000;

/** Sends one part with one PUT. Uses XMLHttpRequest, because `fetch` reports no upload progress. */
export function sendPart(
  url: string,
  body: Blob,
  signal: AbortSignal,
  onProgress: (sentBytes: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const request = new XMLHttpRequest();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restartStallTimer = () => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), stallTimeoutMs);
    };
    const abort = () => request.abort();
    const cleanUp = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    const fail = () => {
      cleanUp();
      onProgress(0);
      reject(signal.aborted ? (signal.reason as Error) : new RequestError(0));
    };
    request.open("PUT", url);
    request.upload.addEventListener("progress", ({ loaded }) => {
      restartStallTimer();
      onProgress(loaded);
    });
    request.addEventListener("error", fail);
    request.addEventListener("abort", fail);
    request.addEventListener("load", () => {
      if (request.status < 200 || request.status >= 300) {
        cleanUp();
        onProgress(0);
        reject(new RequestError(request.status, readProblem(request)));
        return;
      }
      cleanUp();
      onProgress(body.size);
      resolve();
    });
    signal.addEventListener("abort", abort, { once: true });
    restartStallTimer();
    request.send(body);
  });
}

/** The disk store returns problem documents. S3 stores return XML, which has nothing to show to users. */
function readProblem(request: XMLHttpRequest): {
  code?: string;
  detail?: string;
  hint?: string;
  retryAfterSeconds?: number | undefined;
} {
  const retryAfterSeconds = Number(request.getResponseHeader("retry-after")) || undefined;
  try {
    return { ...(JSON.parse(request.responseText) as object), retryAfterSeconds };
  } catch {
    return { retryAfterSeconds };
  }
}
