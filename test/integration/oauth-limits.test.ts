import assert from "node:assert/strict";
import { before, test } from "node:test";
import { minutes } from "#lib/clock.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  readResponse,
  createAuthorization,
  registerClient,
  openConsent,
  endpointPaths,
  post,
  sendRegistration,
  createOAuthBrowser,
  webRedirect,
  type OAuthClient,
} from "../support/oauth-client.ts";
import { useService } from "../support/oauth-fixture.ts";

forOneEngine("oauth limits", (fixture) => {
  const [firstService, secondService] = [useService(fixture, {}), useService(fixture, {})];
  const proxiedService = useService(fixture, { env: { TRUST_PROXY: "loopback" } });
  let client: OAuthClient;
  before(async () => void (client = await registerClient(firstService.base)));

  /** Sends requests in parallel to both instances. Returns how many passed, and the first 429 response. */
  async function exhaustLimit(
    requestCount: number,
    sendRequest: (base: string) => Promise<Response>,
  ): Promise<[passedCount: number, rejectedResponse: Response]> {
    const responses: Response[] = [];
    for (let i = 0; i < requestCount; i += 20)
      responses.push(
        ...(await Promise.all(
          Array.from({ length: 20 }, (_, j) => sendRequest((j % 2 ? firstService : secondService).base)),
        )),
      );
    const rejectedResponse = responses.find(({ status }) => status === 429);
    assert.ok(rejectedResponse);
    return [responses.filter(({ status }) => status !== 429).length, rejectedResponse];
  }

  test("limits token and revocation requests to 300 per minute per IP address across instances (REG-1, X5)", async () => {
    const [passedCount, rejectedResponse] = await exhaustLimit(320, (base) =>
      fetch(`${base}${Math.random() < 0.5 ? endpointPaths.token : endpointPaths.revoke}`, { method: "POST" }),
    );
    assert.equal(passedCount, 300);
    assert.ok(
      Number(rejectedResponse.headers.get("retry-after")) > 0 &&
        Number(rejectedResponse.headers.get("retry-after")) <= 60,
    );
    assert.equal(rejectedResponse.headers.get("access-control-allow-origin"), "*");
    const { error, error_description } = (await rejectedResponse.json()) as Record<string, string>;
    assert.equal(error, "temporarily_unavailable");
    assert.match(error_description ?? "", /^Too many requests\. Try again in \d+ seconds\.$/);
    fixture.clock.advance(minutes(1));
    assert.equal((await post(`${firstService.base}${endpointPaths.token}`, "")).status, 400);
  });

  test("limits registrations per hour to 20 from an IPv4 address or IPv6 /64, and 200 from a /48 (REG-1, A26, X5, X7)", async () => {
    const register = (ipAddress: string) =>
      sendRegistration(proxiedService.base, { redirect_uris: [webRedirect] }, { "x-forwarded-for": ipAddress });
    const countRegistrations = async (count: number, getIpAddress: (i: number) => string) => {
      let registeredCount = 0;
      for (let i = 0; i < count; i++) if ((await register(getIpAddress(i))).status === 201) registeredCount++;
      return registeredCount;
    };
    assert.equal(await countRegistrations(25, (i) => `2001:db8:1:1::${i + 1}`), 20, "one /64");
    assert.equal(
      await countRegistrations(190, (i) => `2001:db8:1:${(i + 2).toString(16)}::1`),
      180,
      "the rest of its /48",
    );
    assert.equal((await register("2001:db8:2::1")).status, 201, "another /48");
    assert.equal(await countRegistrations(25, () => "192.0.2.77"), 20, "IPv4");
    const { status, headers } = await register("192.0.2.77");
    assert.equal(status, 429);
    assert.ok(Number(headers.get("retry-after")) > 0 && Number(headers.get("retry-after")) <= 3600);
    assert.equal(headers.get("access-control-allow-origin"), "*", "pages of other origins can read the error");
  });

  test("limits authorizations to 120 per minute, then shows a page with Retry-After (AUTHZ-2)", async () => {
    const [passedCount, rejectedResponse] = await exhaustLimit(140, (base) =>
      createOAuthBrowser(base).send(createAuthorization(base, client).url),
    );
    assert.equal(passedCount, 120);
    assert.ok(Number(rejectedResponse.headers.get("retry-after")) > 0);
    const { headers, text } = await readResponse(rejectedResponse);
    assert.match(headers.get("content-type") ?? "", /^text\/html/);
    assert.match(text, /Too many/);
    fixture.clock.advance(minutes(1));
  });

  test("limits the authorizations and client documents of an IPv6 /48 to ten times those of a /64 (AUTHZ-2, A20, A26)", async () => {
    const getWindowEnd = (windowMs: number) => fixture.clock() - (fixture.clock() % windowMs) + windowMs;
    const counts = [
      { key: "authorize 2001:db8:3::/48", hits: 1199, windowMs: minutes(1) },
      { key: "clientDocument 2001:db8:4::/48", hits: 599, windowMs: minutes(10) },
    ];
    for (const { key, hits, windowMs } of counts)
      await fixture.deps.rateLimits.addHits([{ key, hits }], getWindowEnd(windowMs));
    const documentClient = { id: "https://client.invalid/client.json", redirectUri: "https://client.invalid/callback" };
    const authorize = (ipAddress: string, requestingClient: OAuthClient) =>
      createOAuthBrowser(proxiedService.base).send(createAuthorization(proxiedService.base, requestingClient).url, {
        headers: { "x-forwarded-for": ipAddress },
      });
    const getStatuses = async (site: string, requestingClient: OAuthClient) => [
      (await authorize(`${site}:1::1`, requestingClient)).status,
      (await authorize(`${site}:2::1`, requestingClient)).status,
    ];
    assert.deepEqual(await getStatuses("2001:db8:3", client), [303, 429]);
    assert.deepEqual(await getStatuses("2001:db8:4", documentClient), [400, 429]);
    assert.deepEqual(await getStatuses("2001:db8:5", client), [303, 303], "another /48");
    fixture.clock.advance(minutes(10));
  });

  test("limits consent submissions to 60 in ten minutes per user, including invalid ones (AUTHZ-3)", async () => {
    const browser = createOAuthBrowser(firstService.base);
    const page = await openConsent(browser, createAuthorization(firstService.base, client).url, "limits@example.com");
    const headers = { origin: new URL(firstService.base).origin };
    const submitConsent = async () =>
      (await browser.send(page.url.href, { method: "POST", body: new URLSearchParams(), headers })).status;
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) statuses.push(await submitConsent());
    assert.deepEqual([...new Set(statuses.slice(0, 60))], [403]);
    assert.equal(statuses[60], 429);
    fixture.clock.advance(minutes(10));
    assert.equal(await submitConsent(), 403);
  });
});
