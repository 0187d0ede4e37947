import { ProtocolError } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { findPostsByTitle, listPosts } from "#domain/posts/list-posts.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { AppError } from "#lib/errors.ts";
import { text } from "#domain/model/text.ts";
import { toProtocolError } from "./protocol/app-errors.ts";
import { errorCodes, type Era } from "./protocol/messages.ts";
import type { Method } from "./protocol/method.ts";
import { respond } from "./protocol/responder.ts";

const template = {
  uriTemplate: "atelier://posts/{postId}",
  name: "post",
  title: "Post",
  description: "A post of the studio as JSON, as get_post returns it.",
  mimeType: "application/json",
};

const uriPrefix = "atelier://posts/";

export const toPostUri = (postId: string): string => `${uriPrefix}${postId}`;

/** Returns the id, which may be invalid; undefined for the URI of another resource. */
export const parsePostUri = (uri: string): string | undefined =>
  uri.startsWith(uriPrefix) ? uri.slice(uriPrefix.length) : undefined;

const pageSize = 50;
/** The most that a completion may return (MCP spec 2025-11-25, Completion). */
const maxCompletions = 100;

const listParams = z.looseObject({ cursor: z.string().optional() });
export const uriParams = z.looseObject({ uri: z.string().max(2000) });
const completeParams = z.looseObject({
  ref: z.looseObject({ type: z.string(), uri: z.string().optional() }),
  argument: z.object({ name: z.string(), value: text(200) }),
});

/** The studio's posts as resources: listed newest first, read as JSON, their ids completed by words in the title. */
export function createPostResources(deps: Deps): [string, Method][] {
  const getRequiredScope = () => "studio:read" as const;
  const completePostId = async (caller: Caller, query: string): Promise<{ values: string[]; hasMore: boolean }> => {
    const { postIds, hasMore } = await findPostsByTitle(deps, caller, { query, limit: maxCompletions });
    return { values: postIds, hasMore };
  };
  return [
    [
      "resources/list",
      {
        getRequiredScope,
        ttlMs: 0,
        handle: (exchange) =>
          respondToResource(exchange, listParams, async ({ cursor }) => {
            const { posts, nextCursor } = await listPosts(deps, exchange.caller, { limit: pageSize, cursor });
            return {
              resources: posts.map(({ id, title, updatedAt }) => ({
                uri: toPostUri(id),
                name: id,
                title,
                mimeType: template.mimeType,
                annotations: { lastModified: updatedAt },
              })),
              ...(nextCursor === null ? {} : { nextCursor }),
            };
          }),
      },
    ],
    ["resources/templates/list", { getRequiredScope, ttlMs: 0, handle: () => ({ resourceTemplates: [template] }) }],
    [
      "resources/read",
      {
        getRequiredScope,
        ttlMs: 0,
        handle: (exchange) =>
          respondToResource(exchange, uriParams, async ({ uri }) => {
            const postId = parsePostUri(uri);
            if (postId === undefined) throw resourceNotFoundError(exchange.era, uri);
            const post = await getPost(deps, exchange.caller, { postId });
            return { contents: [{ uri, mimeType: template.mimeType, text: JSON.stringify(post) }] };
          }),
      },
    ],
    [
      "completion/complete",
      {
        getRequiredScope,
        handle: (exchange) =>
          respondToResource(exchange, completeParams, async ({ ref, argument }) => {
            const isPostIdArgument =
              argument.name === "postId" && (ref.uri ?? template.uriTemplate) === template.uriTemplate;
            return {
              completion: isPostIdArgument
                ? await completePostId(exchange.caller, argument.value)
                : { values: [], hasMore: false },
            };
          }),
      },
    ],
  ];
}

/** Like `respond`, but converts `not_found` of a verb to the error for an unknown resource. */
export const respondToResource: typeof respond = (exchange, schema, run) =>
  respond(exchange, schema, run, (error, { era, params }) =>
    error instanceof AppError && error.code === "not_found"
      ? resourceNotFoundError(era, params["uri"])
      : toProtocolError(error),
  );

/** -32602 since MCP spec 2026-07-28 (SEP-2164), -32002 before. */
export const resourceNotFoundError = (era: Era, uri: unknown): ProtocolError =>
  new ProtocolError(
    era === "modern" ? errorCodes.invalidParams : -32002,
    "Resource not found. resources/list returns the posts of the studio.",
    { uri },
  );
