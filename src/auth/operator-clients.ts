import { readFileSync } from "node:fs";
import type { ClientMetadata } from "oidc-provider";
import { z } from "zod";
import { formatIssues } from "#lib/format-issues.ts";
import { normalizeClientMetadata } from "./client-metadata.ts";

/** The messages complete the sentence “expected …” (`formatIssues`). */
const clientSchema = z
  .looseObject({
    client_id: z.string().min(1).max(200),
    client_secret: z.string().min(32, "at least 32 characters").optional(),
    token_endpoint_auth_method: z.enum(["none", "client_secret_basic", "client_secret_post"]).optional(),
    redirect_uris: z.array(z.string()).min(1),
  })
  .refine(
    ({ client_secret: secret, token_endpoint_auth_method: method }) =>
      method === undefined || (method === "none") === (secret === undefined),
    "client_secret and token_endpoint_auth_method to match",
  );

const clientsFileSchema = z
  .array(clientSchema)
  .refine(
    (clients) => new Set(clients.map((client) => client.client_id)).size === clients.length,
    "each client_id to be unique",
  );

/** The clients that the operator registered in a file, as RFC 7591 metadata. Throws if the file is invalid. */
export function readOperatorClients(path: string | undefined): ClientMetadata[] {
  if (path === undefined) return [];
  try {
    const parseResult = clientsFileSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (!parseResult.success) throw new Error(formatIssues(parseResult.error));
    return parseResult.data.map(toClientMetadata);
  } catch (error) {
    const reason = error instanceof SyntaxError ? "not valid JSON" : (error as Error).message;
    throw new Error(`OAUTH_CLIENTS: ${path}: ${reason}`, { cause: error });
  }
}

function toClientMetadata(client: z.infer<typeof clientSchema>): ClientMetadata {
  const metadata: Record<string, unknown> = {
    token_endpoint_auth_method: client.client_secret === undefined ? "none" : "client_secret_basic",
    ...client,
  };
  try {
    normalizeClientMetadata(metadata);
  } catch (error) {
    const reason = (error as { error_description?: string }).error_description ?? error;
    throw new Error(`${client.client_id}: ${String(reason)}`, { cause: error });
  }
  return metadata as unknown as ClientMetadata;
}

/** Validates the file and returns its problems, for the config check. */
export function findClientProblems(path: string | undefined): string[] {
  try {
    readOperatorClients(path);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
