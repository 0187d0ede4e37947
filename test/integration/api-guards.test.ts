import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { assertProblem, call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { listApiRoutes, fillPath, isWrite } from "../support/api-routes.ts";
import { forEachEngine } from "../support/engines.ts";
import { hostileIds } from "../support/hostile-ids.ts";
import { createInvitationToken, newStudio } from "../support/users.ts";

/** A body that would be good on any route that takes one, as far as the guards can see. */
const body = { name: "Studio", role: "member", title: "Title", studioId: "x" };

forEachEngine("the door of the JSON API", (fixture) => {
  let server: ApiServer;
  before(async () => void (server = await startApiServer(fixture.deps)));
  after(() => server.close());

  async function scene() {
    const owner = await newStudio(fixture.deps);
    const post = await createPost(fixture.deps, owner, { title: "Post", body: "" });
    const params = {
      studioId: owner.studio.id,
      userId: owner.user.id,
      postId: post.id,
      invitationId: fixture.deps.newId("invitation"),
      grantId: fixture.deps.newId("connection"),
      token: await createInvitationToken(fixture.deps, owner, "member"),
    };
    return { owner, params, cookie: await server.signIn(owner) };
  }

  const counts = async (): Promise<unknown[]> =>
    Promise.all(
      (["studios", "memberships", "invitations", "posts", "activity"] as const).map((table) =>
        fixture.database.q.selectFrom(table).selectAll().execute(),
      ),
    );

  const foreign: Record<string, string | undefined>[] = [
    { origin: undefined, "sec-fetch-site": undefined },
    { origin: "https://evil.example", "sec-fetch-site": undefined },
    { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
    { origin: "null", "sec-fetch-site": undefined },
    { origin: undefined, "sec-fetch-site": "cross-site" },
    { origin: undefined, "sec-fetch-site": "same-site" },
    { origin: undefined, "sec-fetch-site": "none" },
    { origin: "own", "sec-fetch-site": "cross-site" },
    { origin: "own", "sec-fetch-site": "same-site" },
    { origin: "own-with-other-port", "sec-fetch-site": undefined },
    { origin: "own-with-https", "sec-fetch-site": undefined },
  ];

  function spelled(headers: Record<string, string | undefined>): Record<string, string | undefined> {
    const own: Record<string, string> = {
      own: server.base,
      "own-with-other-port": server.base.replace(/\d+$/, "1"),
      "own-with-https": server.base.replace("http:", "https:"),
    };
    return { ...headers, origin: own[headers["origin"] ?? ""] ?? headers["origin"] };
  }

  for (const route of listApiRoutes().filter(isWrite)) {
    test(`${route.method} ${route.path} is refused unless it comes from our own pages (W1)`, async () => {
      const { params, cookie } = await scene();
      const asItWas = await counts();
      for (const headers of foreign.map(spelled)) {
        for (const someone of [cookie, undefined]) {
          const answer = await call(server, route.method, fillPath(route.path, params), {
            cookie: someone,
            body,
            headers,
          });
          assertProblem(answer, 403, "forbidden", JSON.stringify(headers));
        }
      }
      assert.deepEqual(await counts(), asItWas, "nothing changed");
      for (const headers of [{ "sec-fetch-site": undefined }, { origin: undefined }]) {
        const answer = await call(server, route.method, fillPath(route.path, params), { body, headers });
        assertProblem(answer, 401, "unauthenticated", "one of the two is enough, and then comes the session");
      }
    });
  }

  for (const route of listApiRoutes()) {
    test(`${route.method} ${route.path} is for people who are signed in`, async () => {
      const { params, owner } = await scene();
      const asItWas = await counts();
      assertProblem(await call(server, route.method, fillPath(route.path, params)), 401, "unauthenticated");
      // Before anything else: neither a body nor an id is looked at.
      const wrong = { "content-type": "text/plain" };
      assertProblem(
        await call(server, route.method, fillPath(route.path, {}), { body: "{", headers: wrong }),
        401,
        "unauthenticated",
      );
      assert.deepEqual(await counts(), asItWas);
      const cookie = await server.signIn(owner);
      fixture.clock.advance(31 * 86_400_000);
      assertProblem(
        await call(server, route.method, fillPath(route.path, params), { cookie }),
        401,
        "unauthenticated",
        "expired",
      );
    });
  }

  for (const route of listApiRoutes().filter(({ path }) => path.includes(":studioId"))) {
    test(`${route.method} ${route.path} of someone else's studio, or of none, is not found (T1)`, async () => {
      const [mine, theirs] = [await scene(), await scene()];
      const asItWas = await counts();
      const { cookie } = mine;
      const foreignAnswer = await call(server, route.method, fillPath(route.path, theirs.params), { cookie, body });
      assertProblem(foreignAnswer, 404, "not_found");
      for (const studioId of hostileIds("studio").filter((id) => id !== "" && id.isWellFormed() && id.length < 5000)) {
        const answer = await call(server, route.method, fillPath(route.path, { ...theirs.params, studioId }), {
          cookie,
          body,
        });
        assertProblem(answer, 404, "not_found", JSON.stringify(studioId.slice(0, 60)));
        if (!studioId.includes(".."))
          assert.equal(answer.json.detail, foreignAnswer.json.detail, "and nobody can tell the difference");
      }
      assert.deepEqual(await counts(), asItWas);
    });
  }

  for (const route of listApiRoutes().filter(({ path }) => /:(userId|postId|invitationId|grantId|token)/.test(path))) {
    test(`${route.method} ${route.path} with an id that cannot exist, or of another studio, is not found (T1, ERR-not_found)`, async () => {
      const [mine, theirs] = [await scene(), await scene()];
      const { cookie } = mine;
      const good = { role: "member", title: "Title" };
      const inputs: [string, object][] = [
        ["members", { role: good.role }],
        ["upload-links", {}],
        ["/assets/", {}],
      ];
      const input = inputs.find(([part]) => route.path.includes(part))?.[1] ?? { title: good.title };
      const ids = hostileIds("post").filter((id) => id !== "" && id.isWellFormed() && id.length < 5000);
      const { studioId: _, token: _token, ...others } = theirs.params;
      const strange = [
        ...(route.path.includes(":token") ? [] : [others]),
        ...ids.map((id) => ({ userId: id, postId: id, invitationId: id, grantId: id, token: id })),
      ];
      for (const params of strange) {
        assertProblem(
          await call(server, route.method, fillPath(route.path, { ...mine.params, ...params }), {
            cookie,
            body: input,
          }),
          404,
          "not_found",
          JSON.stringify(params),
        );
      }
    });
  }

  test("an address where nothing is, is a problem for everyone alike", async () => {
    const { cookie, params } = await scene();
    const studio = `/api/studios/${params.studioId}`;
    const nowhere = [
      "/api/",
      "/api/nothing",
      "/api/me/",
      "/api/me/nothing",
      `${studio}/nothing`,
      `${studio}/posts/x/y`,
      "/api/%2e%2e/healthz",
      "/api/../healthz",
      "/api/me%00",
      "/api/%ff",
      "/api//me",
    ];
    for (const path of nowhere) {
      for (const someone of [cookie, undefined]) {
        for (const method of ["GET", "POST"])
          assertProblem(await call(server, method, path, { cookie: someone }), 404, "not_found", path);
      }
    }
    for (const [method, path] of [
      ["DELETE", "/api/me"],
      ["POST", "/api/me"],
      ["GET", "/api/studios"],
      ["PUT", studio],
      ["TRACE", "/api/me"],
      ["PROPFIND", "/api/me"],
    ] as const) {
      assertProblem(await call(server, method, path, { cookie }), 404, "not_found", `${method} ${path}`);
    }
  });

  test("no other page is ever let in: no CORS, with or without a preflight (W6)", async () => {
    const { cookie } = await scene();
    const preflight = {
      origin: "https://evil.example",
      "access-control-request-method": "PUT",
      "access-control-request-headers": "content-type",
    };
    assertProblem(await call(server, "OPTIONS", "/api/me", { cookie, headers: preflight }), 403, "forbidden");
    assertProblem(
      await call(server, "GET", "/api/me", { cookie, headers: { origin: "https://evil.example" } }),
      403,
      "forbidden",
    );
    assertProblem(await call(server, "GET", "/api/me", { cookie, headers: { origin: "null" } }), 403, "forbidden");
    const own = await call(server, "GET", "/api/me", { cookie, headers: { origin: server.base } });
    assert.equal(own.status, 200);
    assert.deepEqual(
      [...own.headers.keys()].filter((name) => name.startsWith("access-control")),
      [],
    );
  });

  test("HEAD answers as GET does, without the body", async () => {
    const { cookie } = await scene();
    const [head, anonymous] = [
      await call(server, "HEAD", "/api/me", { cookie }),
      await call(server, "HEAD", "/api/me"),
    ];
    assert.deepEqual([head.status, head.text, head.headers.get("content-type")], [200, "", "application/json"]);
    assert.deepEqual([anonymous.status, anonymous.text], [401, ""]);
  });

  test("every answer is for its asker alone, and carries the door's headers", async () => {
    const { cookie } = await scene();
    const { headers } = await call(server, "GET", "/api/me", { cookie });
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/);
    assert.match(headers.get("x-request-id") ?? "", /^req_/);
  });
});
