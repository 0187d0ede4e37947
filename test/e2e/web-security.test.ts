import { CspEvaluator } from "csp_evaluator/dist/evaluator.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import { Severity } from "csp_evaluator/dist/finding.js";
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, test } from "node:test";
import type { SignedInUser } from "#domain/caller.ts";
import { describeMe } from "#domain/access/me.ts";
import { roles, listPermissions } from "#domain/policy.ts";
import { buildWebAppCsp, strictCsp } from "#http/guards.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { newUser } from "../support/users.ts";
import { openLoadedPage, startWebFixture } from "../support/web-fixture.ts";
import { createSampleStudio, listPagePaths, type SampleStudio } from "../support/sample-studio.ts";
import { startForSuite } from "../support/start-for-suite.ts";

/** Texts that call `xss` if a page does not treat them as text. */
const hostileTexts = [
  `<script>xss()</script> "><img src=x onerror=xss()> '><svg/onload=xss()>`,
  `javascript:xss()`,
  `<a href="javascript:xss()">x</a><iframe srcdoc="<script>parent.xss()</script>">`,
  `{{constructor.constructor('xss()')()}}\${xss()} https://example.com/"onmouseover="xss()`,
  `</textarea></title></style><details open ontoggle=xss()>`,
  `\u202egnp.exe <math><mtext></p><style><img src=x onerror=xss()>`,
];

describe("security of the web app", { skip: skipWithoutChromium }, () => {
  const fixture = startForSuite(() => startWebFixture());
  afterEach(() => fixture.closeContexts());

  test("shows hostile texts as text on every page (W4)", async () => {
    const { deps, base } = fixture.service;
    const executions: string[] = [];
    async function checkPages(user: SignedInUser, paths: readonly string[]): Promise<void> {
      const context = await fixture.openContext(user);
      await context.exposeFunction("xss", () => void executions.push("xss"));
      const page = await context.newPage();
      page.on("dialog", (dialog) => void executions.push(dialog.message()));
      for (const path of paths) {
        await openLoadedPage(page, `${base}${path}`);
        if (/\/posts\/pst_/.test(path)) {
          await page.getByRole("button", { name: "Preview", exact: true }).click();
          for (const link of await page.locator("article a").all())
            assert.match((await link.getAttribute("href")) ?? "", /^https?:/);
        }
        const hostileElements = "iframe, main svg:not(.lucide), main math, main script, [onerror]"; // icons are .lucide
        assert.equal(await page.locator(hostileElements).count(), 0, path);
      }
      await context.close();
    }
    let sample: SampleStudio | undefined;
    for (const text of hostileTexts) {
      sample = await createSampleStudio(deps, text, sample?.owner);
      // An admin and the studio have the text as their name, on each page.
      await checkPages(
        sample.admin,
        listPagePaths(sample).filter((path) => path.includes(sample?.postId ?? "")),
      );
      await checkPages(
        sample.owner,
        listPagePaths(sample).filter((path) => path.includes(sample?.grantId ?? "")),
      );
    }
    if (sample) await checkPages(sample.owner, listPagePaths(sample));
    assert.deepEqual(executions, []);
  });

  test("a page on another origin cannot change anything, although the browser sends the cookie (W1)", async (t) => {
    const user = await newUser(fixture.service.deps);
    const { base } = fixture.service;
    // localhost on another port is the same site, so SameSite does not withhold the cookie. Only the API's own checks
    // reject the request.
    const otherOrigin = createServer((_, res) => res.setHeader("content-type", "text/html").end("<h1>Hello</h1>"));
    otherOrigin.listen(0, "localhost");
    await once(otherOrigin, "listening");
    t.after(() => {
      otherOrigin.close();
      otherOrigin.closeAllConnections();
    });
    const page = await fixture.newPage(user);
    expectFailure(page.context(), 403, "/api/studios");
    await page.goto(`http://localhost:${(otherOrigin.address() as AddressInfo).port}/`);
    const outcomes = await page.evaluate(
      `Promise.all(["text/plain", "application/json"].flatMap((type) => ["no-cors", "cors"].map((mode) =>
        fetch("${base}/api/studios", { method: "POST", mode, credentials: "include",
          headers: { "content-type": type }, body: JSON.stringify({ name: "Evil" }) }).then(
            (response) => response.type + response.status, () => "blocked"))))`,
    );
    assert.deepEqual(outcomes, ["blocked", "blocked", "blocked", "blocked"], "the page cannot even read the status");
    await page.setContent(
      `<form method="post" action="${base}/api/studios" enctype="text/plain"><input name='{"name":"Evil","x":"' value='"}'></form>`,
    );
    await Promise.all([page.waitForNavigation(), page.evaluate("document.forms[0].submit()")]);
    assert.match((await page.textContent("body")) ?? "", /forbidden/);
    assert.deepEqual((await describeMe(fixture.service.deps, user)).memberships, []);
  });

  test("csp_evaluator finds no serious problem in our CSPs, and no inline script runs (W2)", async () => {
    const webAppCsp = buildWebAppCsp();
    for (const policy of [webAppCsp, buildWebAppCsp("https://store.example"), strictCsp]) {
      const findings = new CspEvaluator(new CspParser(policy).csp).evaluate();
      const isSerious = (severity: Severity) => severity <= Severity.HIGH_MAYBE && severity !== Severity.NONE;
      assert.deepEqual(
        findings.filter(({ severity }) => isSerious(severity)),
        [],
      );
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|\*/);
    }
    const page = await fixture.newPage(undefined);
    const requestedUrls: URL[] = [];
    const problems: string[] = [];
    page.on("request", (request) => void requestedUrls.push(new URL(request.url())));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    const response = await page.goto(fixture.service.base);
    assert.equal(response?.headers()["content-security-policy"], webAppCsp);
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    assert.ok(requestedUrls.every(({ origin }) => origin === fixture.service.base));
    assert.ok(!requestedUrls.some(({ pathname }) => pathname === "/api/me"), "there is no session");
    assert.deepEqual(problems, []);
    const inlineScriptRan = await page.evaluate(`(async () => {
      const script = document.createElement("script");
      try { script.textContent = "window.inline = true"; document.body.append(script); } catch {}
      const div = document.createElement("div");
      try { div.innerHTML = "<img src=x onerror='window.inline = true'>"; document.body.append(div); } catch {}
      const image = div.querySelector("img");
      if (image) await new Promise((resolve) => image.addEventListener("error", resolve));
      return window.inline === true;
    })()`);
    assert.equal(inlineScriptRan, false);
  });

  test("the UI offers each role what the policy allows, and the API returns the same permissions (T3)", async () => {
    const sampleStudio = await createSampleStudio(fixture.service.deps, "Roles");
    const { id: studioId } = sampleStudio.owner.studio;
    for (const role of roles) {
      const { may } = listPermissions(role);
      const page = await fixture.newPage(sampleStudio[role]);
      const response = await page.context().request.get(`${fixture.service.base}/api/studios/${studioId}`);
      assert.deepEqual((await response.json()).may, may, role);
      for (const [path, buttons] of [
        ["members", { "Invite someone": "invitations.create", Remove: "members.remove" }],
        ["settings", { Save: "studio.update", "Delete studio…": "studio.delete" }],
      ] as const) {
        await openLoadedPage(page, `${fixture.service.base}/studios/${studioId}/${path}`);
        for (const [name, action] of Object.entries(buttons)) {
          const button = page.getByRole("button", { name: new RegExp(`^${name}`) });
          if (may.includes(action)) await button.first().waitFor();
          else assert.equal(await button.count(), 0, `${role}: ${name}`);
        }
      }
      const link = page.getByRole("navigation", { name: "Studio" }).getByRole("link", { name: "Activity" });
      assert.equal((await link.count()) > 0, may.includes("activity.list"), role);
    }
  });
});
