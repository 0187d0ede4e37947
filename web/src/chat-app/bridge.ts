/** JSON-RPC with the host of the in-chat app, over `postMessage` (MCP Apps, 2026-01-26). */
export interface Bridge {
  /** Rejects with `HostError`, or with the signal's reason. */
  request(method: string, params: object, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params: object): void;
  close(): void;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

export interface BridgeOptions {
  onNotification(method: string, params: Record<string, unknown>): void;
  /** The host is about to remove the app. */
  onTeardown(): void;
}

/** The host rejected a request, or did not respond to it in time. */
export class HostError extends Error {
  override readonly name = "HostError";
  /** The JSON-RPC error code; 0 after a timeout. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const defaultTimeoutMs = 60_000;
const methodNotFound = -32601;

export function createBridge({ onNotification, onTeardown }: BridgeOptions): Bridge {
  const host = window.parent;
  const pendingRequests = new Map<string, PendingRequest>();
  /** The origin of the first response. Messages from other origins are ignored after it. */
  let hostOrigin: string | undefined;

  const post = (message: object) =>
    host.postMessage(
      { jsonrpc: "2.0", ...message },
      hostOrigin === undefined || hostOrigin === "null" ? "*" : hostOrigin,
    );

  function receive({ source, origin, data }: MessageEvent<unknown>): void {
    // Any page that has a reference to this window can send messages to it.
    if (source !== host || (hostOrigin !== undefined && origin !== hostOrigin)) return;
    if (!isRecord(data) || data["jsonrpc"] !== "2.0") return;
    const { id, method, params } = data;
    if (typeof method !== "string") return receiveResponse(id, origin, data);
    // The first message of a real host responds to `ui/initialize`.
    if (hostOrigin === undefined) return;
    if (id === undefined) onNotification(method, isRecord(params) ? params : {});
    else if (method === "ui/resource-teardown" || method === "ping") {
      if (method !== "ping") onTeardown();
      post({ id, result: {} });
    } else post({ id, error: { code: methodNotFound, message: "Method not found" } });
  }

  function receiveResponse(id: unknown, origin: string, { result, error }: Record<string, unknown>): void {
    // Ignores repeated responses, and responses that no request waits for.
    const pendingRequest = typeof id === "string" ? pendingRequests.get(id) : undefined;
    if (!pendingRequest) return;
    hostOrigin ??= origin;
    if (isRecord(error)) pendingRequest.reject(new HostError(Number(error["code"]), String(error["message"])));
    else pendingRequest.resolve(result);
  }

  addEventListener("message", receive);
  return {
    request(method, params, { signal, timeoutMs = defaultTimeoutMs } = {}) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason as Error);
          return;
        }
        // Random, so that responses to an earlier instance of the app match no request.
        const id = createRandomId();
        const cleanUp = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
          pendingRequests.delete(id);
        };
        const abort = () => {
          cleanUp();
          post({ method: "notifications/cancelled", params: { requestId: id } });
          reject(signal?.reason as Error);
        };
        const timer = setTimeout(() => {
          cleanUp();
          reject(new HostError(0, "The host did not respond."));
        }, timeoutMs);
        pendingRequests.set(id, {
          resolve(result) {
            cleanUp();
            resolve(result);
          },
          reject(error) {
            cleanUp();
            reject(error);
          },
        });
        signal?.addEventListener("abort", abort, { once: true });
        post({ id, method, params });
      });
    },
    notify: (method, params) => post({ method, params }),
    close() {
      removeEventListener("message", receive);
      for (const { reject } of pendingRequests.values()) reject(new HostError(0, "The app was closed."));
    },
  };
}

/** `randomUUID` is missing in frames of hosts without https. */
export const createRandomId = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
