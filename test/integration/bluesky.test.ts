import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { sealCredential, unsealCredential } from "#domain/steps/credentials.ts";
import type { PlatformConnection } from "#domain/model/connection.ts";
import { connectBluesky, createBlueskySetups } from "../support/bluesky-fixture.ts";
import { openChromium, skipWithoutChromium, type Browser } from "../support/chromium.ts";
import type { Fault } from "../support/faulty-proxy.ts";
import { startPds, skipWithoutPds, type Pds, type PdsAccount, type ReadPost } from "../support/pds.ts";
import { addImage, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { jpeg, png } from "../support/samples.ts";
import { forOneEngine } from "../support/engines.ts";

/** A server whose accounts belong to another issuer. */
async function startOtherServer() {
  const server = createServer((_req, res) =>
    res.end(JSON.stringify({ resource: url, authorization_servers: [issuer] })),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = "https://other.example";
  return { url, close: async () => void (await once(server.close(), "close")) };
}

const skip = skipWithoutPds || skipWithoutChromium;

forOneEngine(
  "publishing to a Bluesky server",
  (fixture) => {
    let pds: Pds;
    let chromium: Browser;
    let publishing: PublishingFixture;
    let account: PdsAccount;
    let friend: PdsAccount;
    let connectionId: string;
    /** A server that an account could move to. */
    let otherServer: Awaited<ReturnType<typeof startOtherServer>>;

    before(async () => {
      pds = await startPds();
      chromium = await openChromium();
      account = await pds.createAccount("ada.test");
      friend = await pds.createAccount("grace-hopper.test");
      otherServer = await startOtherServer();
      const platforms = createBlueskySetups(pds, { otherHosts: [new URL(otherServer.url).host] });
      publishing = await startPublishing(fixture, [], { platforms });
      connectionId = await connectBluesky(publishing, chromium, pds, account);
    });
    after(async () => {
      await chromium?.close();
      await publishing?.close();
      await otherServer?.close();
      await pds?.stop();
    });

    const publish = async (postId: string) => (await publishing.requestPublication(postId, [connectionId])).id;

    /** Injects the faults into the next requests with this path. The result counts these requests. */
    const injectFaults = (path: RegExp, ...faults: (Fault | undefined)[]): { count: number } => {
      const requests = { count: 0 };
      pds.proxy.chooseFault = ({ url }) => {
        if (!path.test(url ?? "")) return undefined;
        requests.count++;
        return faults.shift();
      };
      return requests;
    };

    const listPosts = async (text: string): Promise<ReadPost[]> =>
      (await pds.readPosts(account.did)).filter((post) => post.text === text);

    const getConnection = async (): Promise<PlatformConnection> => {
      const connection = await publishing.service.deps.platformStore.find(publishing.owner.studio.id, connectionId);
      assert.ok(connection);
      return connection;
    };

    const readTokens = async () => {
      const connection = await getConnection();
      assert.ok(connection.credential);
      return unsealCredential(publishing.service.deps, connection, connection.credential);
    };

    /** Replaces the stored access token and its expiry. */
    const storeAccessToken = async (accessToken: string, expiresInMs: number): Promise<void> => {
      const { deps } = publishing.service;
      const expiresAt = deps.clock() + expiresInMs;
      const { tokens, app } = await readTokens();
      const sealed = sealCredential(deps, await getConnection(), { tokens: { ...tokens, accessToken }, app });
      const times = { expiresAt, renewAt: expiresAt };
      assert.ok(
        await deps.platformStore.renew(connectionId, (await getConnection()).credentialGeneration, sealed, times),
      );
    };

    test("an account is connected with its identity, its confirmed handle and a key (PLATFORM-15)", async () => {
      const { account: connected, instance } = await getConnection();
      assert.deepEqual(
        [connected.id, connected.handle, connected.profileUrl, instance],
        [account.did, "ada.test", "https://bsky.app/profile/ada.test", pds.url],
      );
      const { binding } = (await readTokens()).tokens;
      assert.deepEqual([binding?.serverUrl, binding?.issuer], [pds.url, pds.url]);
    });

    test("publishes text with emoji, right-to-left text, links, mentions and tags, and images (PUB-1)", async () => {
      const text = [
        "👩‍👩‍👧‍👦 שלום עולם مرحبا e\u0301 👍🏽",
        "(@grace-hopper.test) @unknown.test, see https://example.com/ü?q=1&r=%20#part.",
        "#фото #naïve! #123 #️⃣",
      ].join("\n");
      const postId = await publishing.newPost(text);
      await addImage(publishing, postId, 'A "blue" vase – größer', { file: await png(64, 48) });
      await addImage(publishing, postId, "", { file: await jpeg(30, 90), mimeType: "image/jpeg" });
      const { url } = await publishing.waitForState(await publish(postId), "published");
      const [post, ...others] = await listPosts(text);
      assert.ok(post);
      assert.deepEqual([others, url], [[], `https://bsky.app/profile/ada.test/post/${post.uri.split("/").at(-1)}`]);
      assert.deepEqual(post.features, [
        ["@grace-hopper.test", friend.did],
        ["https://example.com/ü?q=1&r=%20#part", "https://example.com/ü?q=1&r=%20#part"],
        ["#фото", "фото"],
        ["#naïve", "naïve"],
      ]);
      assert.deepEqual(
        post.images.map(({ alt, aspectRatio, mimeType }) => [alt, aspectRatio, mimeType]),
        [
          ['A "blue" vase – größer', { width: 64, height: 48 }, "image/png"],
          ["", { width: 30, height: 90 }, "image/jpeg"],
        ],
      );
    });

    test("publishes languages, labels and who may reply (OPTION-1)", async () => {
      const expected = [
        [{ languages: ["de", "pt-BR"], labels: ["nudity"], replies: "none" }, ["de", "pt-BR"], ["nudity"], []],
        [{ replies: "followers" }, [], [], ["followerRule"]],
        [{ replies: "everyone" }, [], [], null],
      ] as const;
      for (const [options, ...values] of expected) {
        const text = `With the options ${JSON.stringify(options)}`;
        const postId = await publishing.newPost(text);
        const { status } = await publishing.api("PATCH", `/posts/${postId}`, { variants: [{ connectionId, options }] });
        assert.equal(status, 200);
        await publishing.waitForState(await publish(postId), "published");
        const posts = await listPosts(text);
        assert.deepEqual(
          posts.map(({ langs, labels, replyRules }) => [langs, labels, replyRules]),
          [values],
        );
      }
    });

    for (const [name, ...faults] of [
      ["a lost response", "lost"],
      ["two lost responses", "lost", "lost"],
      ["a 503", 503],
      ["a closed connection", "reset"],
    ] as [string, ...Fault[]][])
      test(`after ${name}, the same record is written again, and there is one post (PUB-2)`, async () => {
        const text = `Not confirmed at first: ${name}`;
        const requests = injectFaults(/putRecord/, ...faults);
        const { url } = await publishing.waitForState(await publish(await publishing.newPost(text)), "published");
        const posts = await listPosts(text);
        assert.deepEqual(
          posts.map(({ uri }) => `https://bsky.app/profile/ada.test/post/${uri.split("/").at(-1)}`),
          [url],
        );
        assert.ok(requests.count > faults.length);
      });

    test("an upload that is cut off, and a rate limit, are retried (PUB-2)", async () => {
      const text = "Limited at first";
      const postId = await publishing.newPost(text);
      await addImage(publishing, postId, "A vase");
      injectFaults(/uploadBlob|putRecord/, "reset", undefined, 429);
      await publishing.waitForState(await publish(postId), "published");
      assert.equal((await listPosts(text)).length, 1);
    });

    test("a nonce that the server no longer accepts is replaced, and the connection stays (PLATFORM-15)", async () => {
      const text = "With a new nonce";
      pds.proxy.chooseFault = () => undefined;
      await pds.rotateNonces();
      await publishing.waitForState(await publish(await publishing.newPost(text)), "published");
      assert.equal((await listPosts(text)).length, 1);
      assert.equal((await getConnection()).state, "connected");
    });

    test("an expired access token is renewed before it is used, and stays bound to its key (PLATFORM-9)", async () => {
      const text = "After an hour";
      const { tokens } = await readTokens();
      await storeAccessToken(tokens.accessToken, -1);
      await publishing.waitForState(await publish(await publishing.newPost(text)), "published");
      const { tokens: renewedTokens } = await readTokens();
      assert.notEqual(renewedTokens.accessToken, tokens.accessToken);
      assert.notEqual(renewedTokens.refreshToken, tokens.refreshToken);
      assert.deepEqual(renewedTokens.binding, tokens.binding);
      assert.equal((await listPosts(text)).length, 1);
    });

    test("an access token that the server rejects is renewed (PLATFORM-9)", async () => {
      const text = "With a renewed token";
      const { tokens } = await readTokens();
      await storeAccessToken(`${tokens.accessToken}x`, 3_600_000);
      await publishing.waitForState(await publish(await publishing.newPost(text)), "published");
      assert.equal((await listPosts(text)).length, 1);
    });

    test("counts characters as Bluesky's own client does (PLATFORM-12)", async () => {
      const texts = ["👩‍👩‍👧‍👦".repeat(100), "e\u0301".repeat(301), "שָׁלוֹם ".repeat(60), `${"a".repeat(299)}👍🏽`];
      for (const text of texts) {
        const { body } = await publishing.api("GET", `/posts/${await publishing.newPost(text)}`);
        const [{ problems } = { problems: [] }] = body["validation"] as { problems: { message: string }[] }[];
        const count = await pds.countCharacters(text);
        const isTooLong = count > 300 || Buffer.byteLength(text) > 3000;
        assert.equal(problems.length, isTooLong ? 1 : 0, text);
        if (count > 300)
          assert.match(problems[0]?.message ?? "", new RegExp(`counts as ${count} characters|has ${count} characters`));
      }
    });

    test("an account that moved to a server with another issuer has to be connected again (PLATFORM-15, A15)", async () => {
      const operation = pds.plc.operations.get(account.did);
      assert.ok(operation?.services["atproto_pds"]);
      const { endpoint } = operation.services["atproto_pds"];
      operation.services["atproto_pds"].endpoint = otherServer.url;
      await storeAccessToken((await readTokens()).tokens.accessToken, -1);
      const { problem } = await publishing.waitForState(await publish(await publishing.newPost("Moved")), "failed");
      operation.services["atproto_pds"].endpoint = endpoint;
      assert.deepEqual([problem?.code, (await getConnection()).state], ["connect_expired", "needs_reconnect"]);
      assert.equal((await listPosts("Moved")).length, 0);
      await connectBluesky(publishing, chromium, pds, account);
    });

    test("does not show a handle that does not point back to the account (PLATFORM-15, A15)", async () => {
      const operation = pds.plc.operations.get(friend.did);
      assert.ok(operation);
      operation.alsoKnownAs = ["at://ada.test"];
      const friendConnection = await connectBluesky(publishing, chromium, pds, friend);
      const { platformStore } = publishing.service.deps;
      const connection = await platformStore.find(publishing.owner.studio.id, friendConnection);
      assert.deepEqual([connection?.account.id, connection?.account.handle], [friend.did, null]);
    });

    test("a revoked grant fails the publication, and the account has to be connected again (PUB-4)", async () => {
      const { tokens, app } = await readTokens();
      await publishing.service.deps.platforms.revoke(await getConnection(), app, tokens);
      const { problem } = await publishing.waitForState(await publish(await publishing.newPost("Revoked")), "failed");
      assert.deepEqual([problem?.code, (await getConnection()).state], ["connect_expired", "needs_reconnect"]);
      assert.equal((await listPosts("Revoked")).length, 0);
    });
  },
  skip,
);
