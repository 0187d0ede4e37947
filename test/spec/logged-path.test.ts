import assert from "node:assert/strict";
import { test } from "node:test";
import { toLoggedPath } from "#http/logged-path.ts";
import { createIdGenerator } from "#lib/ids.ts";
import { createSigner } from "#lib/signed-token.ts";
import { createTestClock } from "../support/clock.ts";

const webApp = { path: "/*", logsRest: true } as const;
const api = { path: "/api/*", logsRest: true } as const;
const newId = createIdGenerator(createTestClock());

test("logs a path without its query, and of a route that does not declare otherwise only the prefix (RUN-9, L4)", () => {
  const postPath = `/api/studios/${newId("studio")}/posts/${newId("post")}`;
  for (const [url, route, expected] of [
    ["/", webApp, "/"],
    ["/?token=abc#/u/abc", webApp, "/"],
    ["/robots.txt", webApp, "/robots.txt"],
    ["/mcp?x=1", { path: "/mcp" }, "/mcp"],
    ["/api/me?x=1", api, "/api/me"],
    [`${postPath}/revisions/12?x`, api, `${postPath}/revisions/12`],
    ["/api/auth/callback/oidc-2?code=abc&state=def", api, "/api/auth/callback/oidc-2"],
    ["/u/abc.def/files/1?part=2", { path: "/u/*" }, "/u/[redacted]"],
    ["/files/media/a/b", { path: "/files/media/*" }, "/files/media/[redacted]"],
  ] as const)
    assert.equal(toLoggedPath(url, route), expected, url);
  assert.equal(toLoggedPath("/assets/index-B3x9_aKq.js?x", webApp, true), "/assets/index-B3x9_aKq.js");
});

const token = "s3cretT0ken";

test("logs no token in any spelling of a path (RUN-9, F9)", () => {
  const signer = createSigner(["a test secret that is long enough"], createTestClock());
  const signedToken = signer.sign("upload", { id: "x" }, 1);
  const paths = ["u", "join", "files", "consent", "connect", "api/invitations", "new-route"].flatMap((prefix) => [
    `/${prefix}/${token}`,
    `/${prefix}/${token}/accept`,
    `/${prefix}/${token.toLowerCase()}`,
    `/${prefix}/${signedToken}`,
    `//${prefix}/${token}`,
    `/${prefix}//${token}`,
    `/${prefix.toUpperCase()}/${token}`,
    `/%75${prefix}/${token}`,
    `/%2575${prefix}/${token}`,
    `/${prefix.replaceAll("/", "%2F")}%2f${token}`,
    `/./${prefix}/./${token}`,
    `/x/%2E%2e/${prefix}/${token}`,
    `/\\${prefix}\\${token}`,
    `/${prefix};v=1/${token}`,
    `/#/${prefix}/${token}`,
    `http://localhost:3000//${prefix}/${token}`,
    `/?next=/${prefix}/${token}`,
  ]);
  for (const path of paths)
    for (const route of [webApp, api, undefined]) {
      const loggedPath = toLoggedPath(path, route).toLowerCase();
      assert.ok(!loggedPath.includes(token.toLowerCase()) && !loggedPath.includes(signedToken.toLowerCase()), path);
    }
});

test("logs no long segment of an unknown path, and truncates long paths (RUN-9, F9)", () => {
  assert.equal(toLoggedPath(`/unknown/${"a".repeat(41)}/x`, webApp), "/unknown/[redacted]/x");
  assert.equal(toLoggedPath(`/unknown/${"a".repeat(39)}`, webApp), `/unknown/${"a".repeat(39)}`);
  assert.ok(toLoggedPath("/a".repeat(100_000), webApp).length <= 201);
});
