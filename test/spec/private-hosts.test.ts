import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { createPublicFetch, createPublicUrlOpener, PublicFetchError } from "#lib/public-fetch.ts";
import { listenLocally } from "../support/local-server.ts";

const server = createServer((req, res) => {
  const target = new URL(req.url ?? "", "http://localhost").searchParams.get("to");
  if (target === null) return void res.end(JSON.stringify({ host: req.headers.host }));
  res.writeHead(302, { location: target }).end();
});
const { port, close } = await listenLocally(server);
after(close);

const limits = { timeoutMs: 10_000, maxBytes: 10_000 };
const fetchListed = (listed: string[], url: string) =>
  createPublicFetch({ ...limits, privateHosts: new Set(listed) })(url);
const isBlocked = (error: unknown): boolean => error instanceof PublicFetchError && error.isBlocked;

test("a listed host on this machine can be reached by plain http (PLATFORM-14)", async () => {
  for (const host of ["localhost", "127.0.0.1"]) {
    const response = await fetchListed([`${host}:${port}`], `http://${host}:${port}/`);
    assert.deepEqual(await response.json(), { host: `${host}:${port}` });
  }
});

test("other ports, names and protocols of a listed host stay blocked (PLATFORM-14)", async () => {
  const listed = [`localhost:${port}`];
  const urls = [
    `http://localhost:${port + 1}/`,
    `http://127.0.0.1:${port}/`,
    `http://localhost.:${port + 1}/`,
    `http://user@localhost:${port}/`,
    `ftp://localhost:${port}/`,
    "https://127.0.0.1/",
    "https://10.0.0.1/",
  ];
  for (const url of urls) await assert.rejects(fetchListed(listed, url), isBlocked, url);
});

test("link-local addresses stay blocked even if they are listed (PLATFORM-14)", async () => {
  for (const host of ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]"]) {
    const { host: listed } = new URL(`http://${host}:8080`);
    await assert.rejects(fetchListed([listed], `https://${host}:8080/`), isBlocked, host);
    await assert.rejects(fetchListed([listed], `http://${host}:8080/`), isBlocked, host);
  }
});

test("plain http to a listed host outside this machine stays blocked (PLATFORM-14)", async () => {
  for (const host of ["10.1.2.3:80", "192.168.1.1:8080", "[fd00::1]:80"])
    await assert.rejects(fetchListed([host], `http://${host}/`), isBlocked, host);
});

test("sends nothing to a listed host once the signal is aborted (PLATFORM-14)", async () => {
  let requestCount = 0;
  const countRequest = (): void => void requestCount++;
  server.on("request", countRequest);
  const fetchUrl = createPublicFetch({ ...limits, privateHosts: new Set([`localhost:${port}`]) });
  await assert.rejects(fetchUrl(`http://localhost:${port}/`, { signal: AbortSignal.abort() }), PublicFetchError);
  await fetchUrl(`http://localhost:${port}/`);
  server.off("request", countRequest);
  assert.equal(requestCount, 1);
});

test("each redirect is checked again (PLATFORM-14)", async () => {
  const options = { timeoutMs: 10_000, maxRedirects: 5, accept: "*/*", privateHosts: new Set([`localhost:${port}`]) };
  const openUrl = createPublicUrlOpener(options);
  const redirect = (to: string) =>
    openUrl(`http://localhost:${port}/?to=${encodeURIComponent(to)}`, AbortSignal.timeout(20_000));
  const { body, status } = await redirect(`http://localhost:${port}/`);
  body.destroy();
  assert.equal(status, 200);
  for (const to of [`http://127.0.0.1:${port}/`, "http://169.254.169.254/", "http://localhost:1/"])
    await assert.rejects(redirect(to), isBlocked, to);
});
