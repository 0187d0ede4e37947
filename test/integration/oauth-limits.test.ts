import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { minutes } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import {
  readResponse,
  createAuthorization,
  registerClient,
  openConsent,
  endpointPaths,
  post,
  createOAuthBrowser,
  type OAuthClient,
} from "../support/oauth-client.ts";
import { startService, type RunningService } from "../support/service.ts";

forEachEngine("oauth limits", (fixture) => {
  let first: RunningService;
  let second: RunningService;
  let client: OAuthClient;
  before(async () => {
    [first, second] = [await startService(fixture.deps), await startService(fixture.deps)];
    client = await registerClient(first.base);
  });
  after(() => Promise.all([first.close(), second.close()]));

  /** How often it went through, in parallel and at both instances, before the first 429; and that one. */
  async function exhaust(
    times: number,
    ask: (base: string) => Promise<Response>,
  ): Promise<[passed: number, refused: Response]> {
    const answers: Response[] = [];
    for (let i = 0; i < times; i += 20)
      answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, j) => ask((j % 2 ? first : second).base)))));
    const refused = answers.find(({ status }) => status === 429);
    assert.ok(refused);
    return [answers.filter(({ status }) => status !== 429).length, refused];
  }

  test("token and revocation together: 300 a minute from one address, whichever instance (REG-1, X5)", async () => {
    const [passed, refused] = await exhaust(320, (base) =>
      fetch(`${base}${Math.random() < 0.5 ? endpointPaths.token : endpointPaths.revoke}`, { method: "POST" }),
    );
    assert.equal(passed, 300);
    assert.ok(Number(refused.headers.get("retry-after")) > 0 && Number(refused.headers.get("retry-after")) <= 60);
    assert.equal(refused.headers.get("access-control-allow-origin"), "*");
    const { error, error_description } = (await refused.json()) as Record<string, string>;
    assert.equal(error, "temporarily_unavailable");
    assert.match(error_description ?? "", /^Too many requests\. Try again in \d+ seconds\.$/);
    fixture.clock.advance(minutes(1));
    assert.equal((await post(`${first.base}${endpointPaths.token}`, "")).status, 400);
  });

  test("registering: 20 an hour from a /64, and 200 from the /48 that anyone is given for the asking (A26, X5, X7)", async () => {
    const service = await startService(fixture.deps, { env: { TRUST_PROXY: "loopback" } });
    try {
      const register = async (address: string) =>
        (
          await fetch(`${service.base}${endpointPaths.register}`, {
            method: "POST",
            headers: { "content-type": "application/json", "x-forwarded-for": address },
            body: JSON.stringify({ redirect_uris: ["https://client.example/cb"] }),
          })
        ).status;
      const many = async (count: number, address: (i: number) => string) => {
        const statuses: number[] = [];
        for (let i = 0; i < count; i++) statuses.push(await register(address(i)));
        return statuses.filter((status) => status === 201).length;
      };
      assert.equal(await many(25, (i) => `2001:db8:1:1::${i + 1}`), 20, "one /64");
      assert.equal(await many(190, (i) => `2001:db8:1:${(i + 2).toString(16)}::1`), 180, "the rest of its /48");
      assert.equal(await register("2001:db8:2::1"), 201, "another /48");
      assert.equal(await many(25, () => "192.0.2.77"), 20, "IPv4");
    } finally {
      await service.close();
    }
  });

  test("beginning an authorization: 120 a minute, then a page that says when to come back (AUTHZ-2)", async () => {
    const [passed, refused] = await exhaust(140, (base) =>
      createOAuthBrowser(base).send(createAuthorization(base, client).url),
    );
    assert.equal(passed, 120);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    const { headers, text } = await readResponse(refused);
    assert.match(headers.get("content-type") ?? "", /^text\/html/);
    assert.match(text, /Too many/);
    fixture.clock.advance(minutes(1));
  });

  test("answering approvals: 60 in ten minutes for a person, wrong answers too (AUTHZ-3)", async () => {
    const browser = createOAuthBrowser(first.base);
    const page = await openConsent(browser, createAuthorization(first.base, client).url, "limits@example.com");
    const headers = { origin: new URL(first.base).origin };
    const answer = async () =>
      (await browser.send(page.url.href, { method: "POST", body: new URLSearchParams(), headers })).status;
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) statuses.push(await answer());
    assert.deepEqual([...new Set(statuses.slice(0, 60))], [403]);
    assert.equal(statuses[60], 429);
    fixture.clock.advance(minutes(10));
    assert.equal(await answer(), 403);
  });
});
