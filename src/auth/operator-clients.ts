import { readFileSync } from "node:fs";
import type { ClientMetadata } from "oidc-provider";
import { z } from "zod";
import { normalizeClientMetadata } from "./client-metadata.ts";

const clientShape = z
  .looseObject({
    client_id: z.string().min(1).max(200),
    client_secret: z.string().min(32, "at least 32 characters").optional(),
    token_endpoint_auth_method: z.enum(["none", "client_secret_basic", "client_secret_post"]).optional(),
    redirect_uris: z.array(z.string()).min(1),
  })
  .refine(
    ({ client_secret: secret, token_endpoint_auth_method: method }) =>
      method === undefined || (method === "none") === (secret === undefined),
    "client_secret and token_endpoint_auth_method do not fit together",
  );

const file = z
  .array(clientShape)
  .refine(
    (clients) => new Set(clients.map((one) => one.client_id)).size === clients.length,
    "a client_id is there twice",
  );

/** The clients an operator registered in a file, in RFC 7591's words. Throws one message that says what is wrong. */
export function readOperatorClients(path: string | undefined): ClientMetadata[] {
  if (path === undefined) return [];
  const refuse = (why: string): never => {
    throw new Error(`OAUTH_CLIENTS: ${path}: ${why}`);
  };
  const parsed = file.safeParse(parse(read(path, refuse)) ?? refuse("it is not JSON"));
  if (!parsed.success)
    return refuse(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; "));
  return parsed.data.map((client) => {
    const metadata: Record<string, unknown> = {
      token_endpoint_auth_method: client.client_secret === undefined ? "none" : "client_secret_basic",
      ...client,
    };
    try {
      normalizeClientMetadata(metadata);
    } catch (error) {
      refuse(`${client.client_id}: ${String((error as { error_description?: string }).error_description ?? error)}`);
    }
    return metadata as unknown as ClientMetadata;
  });
}

/** The same as faults of a setting. */
export function findClientFaults(path: string | undefined): string[] {
  try {
    readOperatorClients(path);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function read(path: string, refuse: (why: string) => never): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
