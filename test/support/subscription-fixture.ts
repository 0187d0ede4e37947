import { after, before } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { listenForNotifications } from "#db/notifications.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { createDeps, forEachEngine, getListenUrl, silentLog, type Fixture } from "./engines.ts";
import { initialize, startMcpServer, type McpCaller, type TestMcpServer } from "./mcp.ts";
import { createTestGrant } from "./tokens.ts";

export interface OtherServer extends TestMcpServer {
  deps: Deps;
  /** Every notification that PostgreSQL has sent so far. */
  notifications: string[];
}

/** A server with its own connections to the test's database, like another process. On PostgreSQL, it uses LISTEN. */
export async function startOtherServer(
  { location, clock }: Fixture,
  replacedDeps: Partial<Deps> = {},
): Promise<OtherServer> {
  const database = await openDatabase({ ...location, log: silentLog });
  const deps = { ...createDeps(database, clock), ...replacedDeps };
  const notifications: string[] = [];
  const server = await startMcpServer({ deps });
  const { changeFeed } = server.endpoint;
  const listenStarted = Promise.withResolvers<void>();
  const listenUrl = getListenUrl(location);
  const listener =
    listenUrl === undefined
      ? undefined
      : listenForNotifications({
          url: listenUrl,
          handlers: {
            changes(change) {
              if (change !== undefined) {
                notifications.push(change);
                return changeFeed.receive(change);
              }
              // The listener has connected; notifications arrive from now on.
              changeFeed.setNotificationsReliable(true);
              listenStarted.resolve();
            },
          },
          log: silentLog,
        });
  if (listener) await listenStarted.promise;
  return {
    ...server,
    deps,
    notifications,
    async close() {
      await server.close();
      await listener?.close();
      await database.close();
    },
  };
}

export interface SubscriptionFixture extends Fixture {
  server: TestMcpServer;
  otherServer: OtherServer;
}

/** Like `forEachEngine`, with two servers on the database of the suite. */
export function forEachEngineWithServers(name: string, define: (fixture: SubscriptionFixture) => void): void {
  forEachEngine(name, (baseFixture) => {
    const fixture = baseFixture as SubscriptionFixture;
    before(async () => {
      fixture.server = await startMcpServer(fixture);
      fixture.otherServer = await startOtherServer(fixture);
    });
    after(async () => {
      await fixture.server?.close();
      await fixture.otherServer?.close();
    });
    define(fixture);
  });
}

export interface SubscribingClient extends McpCaller {
  token: string;
  grantId: string;
}

/** A client of this user, with a grant of its own. */
export async function newSubscriber(deps: Deps, { url }: TestMcpServer, user: Caller): Promise<SubscribingClient> {
  return { url, ...(await createTestGrant(deps, user)) };
}

/** Starts a session of protocol version 2025-11-25 and returns the client with its session id. */
export async function startSession(client: SubscribingClient): Promise<SubscribingClient & { session: string }> {
  return { ...client, session: (await initialize(client)).session };
}

export interface TestPost {
  id: string;
  uri: string;
  /** Changes the post as its author. */
  change(): Promise<void>;
}

export async function newPost(deps: Deps, author: Caller): Promise<TestPost> {
  const { id } = await createPost(deps, author, { title: "A post", body: "Some words." });
  let changeCount = 0;
  return {
    id,
    uri: `atelier://posts/${id}`,
    async change() {
      await updatePost(deps, author, { postId: id, title: `Change ${++changeCount}` });
    },
  };
}
