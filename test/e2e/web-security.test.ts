import { CspEvaluator } from "csp_evaluator/dist/evaluator.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import { Severity } from "csp_evaluator/dist/finding.js";
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { describeMe } from "#domain/access/me.ts";
import { roles, listPermissions } from "#domain/policy.ts";
import { buildWebAppCsp, strictCsp } from "#http/guards.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { newUser } from "../support/users.ts";
import { openLoadedPage, startWebFixture, type WebFixture } from "../support/web-fixture.ts";
import { createSampleStudio, listPagePaths } from "../support/sample-studio.ts";

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
  let fixture: WebFixture;
  before(async () => void (fixture = await startWebFixture()));
  after(() => fixture.close());

  for (const text of hostileTexts) {
    test(`shows ${text} as text (W4)`, async () => {
      const sampleStudio = await createSampleStudio(fixture.service.deps, text);
      const context = await fixture.openContext(sampleStudio.owner);
      const executions: string[] = [];
      await context.exposeFunction("xss", () => void executions.push("xss"));
      const page = await context.newPage();
      page.on("dialog", (dialog) => void executions.push(dialog.message()));
      for (const path of listPagePaths(sampleStudio)) {
        await openLoadedPage(page, `${fixture.service.base}${path}`);
        if (path.endsWith(sampleStudio.postId)) {
          await page.getByRole("button", { name: "Preview", exact: true }).click();
          for (const link of await page.locator("article a").all())
            assert.match((await link.getAttribute("href")) ?? "", /^https?:/);
        }
        const hostileElements = "iframe, main svg:not(.lucide), main math, main script, [onerror]"; // icons are .lucide
        assert.equal(await page.locator(hostileElements).count(), 0, path);
      }
      await page.waitForTimeout(200);
      assert.deepEqual(executions, []);
      await context.close();
    });
  }

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
    const context = await fixture.openContext(user);
    const page = await context.newPage();
    expectFailure(context, 403, "/api/studios");
    await page.goto(`http://localhost:${(otherOrigin.address() as AddressInfo).port}/`);
    const outcomes = await page.evaluate(
      `(async () => {
        const outcomes = [];
        for (const type of ["text/plain", "application/json"])
          for (const mode of ["no-cors", "cors"])
            outcomes.push(await fetch("${base}/api/studios", { method: "POST", mode, credentials: "include",
              headers: { "content-type": type }, body: JSON.stringify({ name: "Evil" }) }).then(
                (response) => response.type + response.status, () => "blocked"));
        return outcomes;
      })()`,
    );
    assert.deepEqual(outcomes, ["blocked", "blocked", "blocked", "blocked"], "the page cannot even read the status");
    await page.setContent(
      `<form method="post" action="${base}/api/studios" enctype="text/plain"><input name='{"name":"Evil","x":"' value='"}'></form>`,
    );
    await Promise.all([page.waitForNavigation(), page.evaluate("document.forms[0].submit()")]);
    assert.match((await page.textContent("body")) ?? "", /forbidden/);
    assert.deepEqual((await describeMe(fixture.service.deps, user)).memberships, []);
    await context.close();
  });

  test("csp_evaluator finds no serious problem in our CSPs, and no inline script runs (W2)", async () => {
    const webAppCsp = buildWebAppCsp();
    for (const policy of [webAppCsp, buildWebAppCsp("https://store.example"), strictCsp]) {
      const findings = new CspEvaluator(new CspParser(policy).csp).evaluate();
      const seriousFindings = findings.filter(
        ({ severity }) => severity <= Severity.HIGH_MAYBE && severity !== Severity.NONE,
      );
      assert.deepEqual(
        seriousFindings.map(({ description }) => description),
        [],
      );
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|\*/);
    }
    const context = await fixture.openContext(undefined);
    const page = await context.newPage();
    const requestedOrigins: string[] = [];
    page.on("request", (request) => void requestedOrigins.push(new URL(request.url()).origin));
    const response = await page.goto(fixture.service.base);
    assert.equal(response?.headers()["content-security-policy"], webAppCsp);
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    assert.deepEqual([...new Set(requestedOrigins)], [fixture.service.base], "no requests to other origins");
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
    await context.close();
  });

  test("does not follow a return URL to another site (W5)", async () => {
    const user = await newUser(fixture.service.deps);
    const context = await fixture.openContext(user);
    const page = await context.newPage();
    for (const returnTo of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "javascript:alert(1)",
      "/%0d%0a/x",
    ]) {
      await page.goto(`${fixture.service.base}/login?return_to=${encodeURIComponent(returnTo)}`);
      assert.equal(new URL(page.url()).origin, fixture.service.base, returnTo);
    }
    await context.close();
  });

  test("the UI offers each role what the policy allows, and the API returns the same permissions (T3)", async () => {
    const sampleStudio = await createSampleStudio(fixture.service.deps, "Roles");
    const studioUrl = `${fixture.service.base}/studios/${sampleStudio.owner.studio.id}`;
    for (const role of roles) {
      const { may } = listPermissions(role);
      const context = await fixture.openContext(sampleStudio[role]);
      const page = await context.newPage();
      const checkButton = async (path: string, name: string | RegExp, isAllowed: boolean): Promise<void> => {
        await openLoadedPage(page, `${studioUrl}/${path}`);
        const buttons = page.getByRole("button", { name });
        if (isAllowed) await buttons.first().waitFor();
        else assert.equal(await buttons.count(), 0, `${role}: ${name}`);
      };
      const studioView = await (
        await page.goto(`${fixture.service.base}/api/studios/${sampleStudio.owner.studio.id}`)
      )?.json();
      assert.deepEqual(studioView.may, may, role);
      await checkButton("members", "Invite someone", may.includes("invitations.create"));
      await checkButton("members", /^Remove/, may.includes("members.remove"));
      await checkButton("settings", "Save", may.includes("studio.update"));
      await checkButton("settings", "Delete studio…", may.includes("studio.delete"));
      const link = page.getByRole("navigation", { name: "Studio" }).getByRole("link", { name: "Activity" });
      assert.equal((await link.count()) > 0, may.includes("activity.list"), role);
      await context.close();
    }
  });
});
