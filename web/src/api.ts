/** The JSON API behind this app. Types are what the pages use of each answer. */

export interface Me {
  user: { id: string; name: string; email: string | null };
  memberships: { studioId: string; studioName: string; role: string; joinedAt: string }[];
  activeStudioId: string | null;
}

/** A failure in words for the person in front of it: what happened, and what to do next. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly hint: string;

  constructor(status: number, message: string, hint: string) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** The signed-in person; undefined when nobody is. */
export async function fetchMe(): Promise<Me | undefined> {
  try {
    return (await call("GET", "/api/me")) as Me;
  } catch (error) {
    // 404: a server without sign-in.
    if (error instanceof ApiError && (error.status === 401 || error.status === 404)) return undefined;
    throw error;
  }
}

export async function createStudio(name: string): Promise<void> {
  await call("POST", "/api/studios", { name });
}

export async function signOut(): Promise<void> {
  await call("POST", "/api/sign-out");
}

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const init: RequestInit =
    body === undefined
      ? { method }
      : { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(path, init).catch(() => {
    throw new ApiError(0, "The server cannot be reached.", "Check that it is running and that you are online.");
  });
  const answer: unknown = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (response.ok) return answer;
  // RFC 9457; a proxy in between may answer something else.
  const { detail, hint } = (answer ?? {}) as { detail?: string; hint?: string };
  throw new ApiError(
    response.status,
    detail ?? `The server answered with status ${response.status}.`,
    hint ?? "Try again in a moment. If it happens again, tell whoever runs this server.",
  );
}
