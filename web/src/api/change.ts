import { hc, type ClientResponse } from "hono/client";
import type { Api } from "#http/api/api.ts";
import { isAffected } from "./changed-queries.ts";
import { checkResponse } from "./client.ts";
import type { ActivityFilter } from "./queries.ts";
import { queryClient } from "./query-client.ts";

const { api } = hc<Api>(location.origin);
const studioApi = api.studios[":studioId"];
type Routes = typeof api;
export type StudioRoutes = typeof studioApi;

type TypeOf<Action> = Action extends `${infer Type}.${string}` ? Type : never;
type ObjectType = TypeOf<ActivityFilter["action"]> | "notification";

/** As the server announces it. */
interface ChangedObject {
  type: ObjectType;
  id: string | null;
}
/** Undefined if a change can concern any. */
type ChangedObjects = readonly ChangedObject[] | undefined;

/** What the routes call the ids of each type. Changes of comments have the id of their post. */
const idNames: Readonly<Record<ObjectType, string>> = {
  studio: "studioId",
  member: "userId",
  invitation: "invitationId",
  client: "grantId",
  post: "postId",
  comment: "postId",
  review: "linkId",
  upload_link: "linkId",
  asset: "assetId",
  trash: "studioId",
  publication: "publicationId",
  platform: "connectionId",
  webhook: "webhookId",
  notification: "studioId",
};

interface Change {
  /** Null if the change concerns only the user's own studios and roles. */
  studioId: string | null;
  objects: ChangedObjects;
}

/** The changes since the first of the batches that run. */
let batchedChanges: Change[] = [];
let batchCount = 0;

type Result<R extends ClientResponse<unknown>> = Awaited<ReturnType<R["json"]>>;
type Param<Args> = Args extends { param: infer Ids extends { studioId: string } } ? Ids : never;
type Body<Args> = Args extends { json: infer Json } ? (object extends Json ? [json?: Json] : [json: Json]) : [];

/**
 * Sends a request that changes these objects, and returns its response when everything that the page shows of them is
 * up to date. There is no other way to send such a request: `api` in client.ts only reads.
 */
export async function change<R extends ClientResponse<unknown>>(
  studioId: string | null,
  objects: ChangedObjects,
  send: (studioRoutes: StudioRoutes, routes: Routes) => Promise<R>,
): Promise<Result<R>> {
  const readResponse = async (): Promise<unknown> => {
    const response = await checkResponse(send(studioApi, api));
    return response.status === 204 ? undefined : response.json();
  };
  return finishAfter(readResponse(), async () => {
    if (batchCount > 0) batchedChanges.push({ studioId, objects });
    else await refetchChanged([{ studioId, objects }]);
  }) as Promise<Result<R>>;
}

/**
 * Returns a function that takes the ids of a route, and the body if the route has one. Its request changes objects of
 * these types: those whose ids the route has, or new ones.
 */
export const defineChange =
  <Args, R extends ClientResponse<unknown>>(
    pick: (studioRoutes: StudioRoutes) => (args: Args) => Promise<R>,
    types: readonly ObjectType[] | undefined,
  ) =>
  (param: Param<Args>, ...[json]: Body<Args>): Promise<Result<R>> => {
    const ids: Readonly<Record<string, string>> = param;
    const objects = types?.map((type) => ({ type, id: ids[idNames[type]] ?? null }));
    return change(param.studioId, objects, (studioRoutes) => pick(studioRoutes)({ param, json } as Args));
  };

/**
 * Runs a function that makes several changes, or shows one before it is refetched. What they changed is refetched once,
 * after the function. That includes other changes made meanwhile: their promises do not wait for it. So the function must
 * not wait for the user, or for a navigation that the user can stop.
 */
export function inBatch<T>(run: () => Promise<T>): Promise<T> {
  batchCount++;
  return finishAfter(run(), async () => {
    batchCount--;
    if (batchCount > 0) return;
    const changes = batchedChanges;
    batchedChanges = [];
    await refetchChanged(changes);
  });
}

/** A failed request may have made its change, but its error does not wait for the refetch. */
async function finishAfter<T>(work: Promise<T>, finish: () => Promise<void>): Promise<T> {
  work.catch(() => void finish());
  const result = await work;
  await finish();
  return result;
}

/** Refetches what shows changes. For those that were made without `change`, such as by an upload. */
export const refetchChanged = (changes: readonly Change[]): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey }) => changes.some(({ studioId, objects }) => isAffected(queryKey, studioId, objects)),
  });
