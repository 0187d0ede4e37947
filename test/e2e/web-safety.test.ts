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
import { skipWithoutChromium } from "../support/chromium.ts";
import { newUser } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";
import { createSampleStudio, listPagePaths } from "../support/sample-studio.ts";

/** Each would call `xss` if a page took it for anything but text. */
const corpus = [
  `<script>xss()</script>`,
  `"><img src=x onerror=xss()>`,
  `'><svg/onload=xss()>`,
  `javascript:xss()`,
  `<a href="javascript:xss()">x</a><iframe srcdoc="<script>parent.xss()</script>">`,
  `{{constructor.constructor('xss()')()}}\${xss()}`,
  `</textarea></title></style><details open ontoggle=xss()>`,
  `https://example.com/"onmouseover="xss()`,
  `\u202egnp.exe <math><mtext></p><style><img src=x onerror=xss()>`,
];

describe("the web app is safe to look at", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  before(async () => void (fixture = await startWebFixture()));
  after(() => fixture.close());

  for (const text of corpus) {
    test(`nothing runs of ${text} (W4)`, async () => {
      const scene = await createSampleStudio(fixture.service.deps, text);
      const context = await fixture.openContext(scene.owner);
      const ran: string[] = [];
      await context.exposeFunction("xss", () => void ran.push("xss"));
      const page = await context.newPage();
      page.on("dialog", (dialog) => void ran.push(dialog.message()));
      for (const path of listPagePaths(scene)) {
        await page.goto(`${fixture.service.base}${path}`);
        await page.getByRole("heading").first().waitFor();
        await waitUntil(async () => (await page.locator(".wait").count()) === 0, { description: "all of the page" });
        if (path.endsWith(scene.postId)) {
          await page.getByRole("button", { name: "Preview" }).click();
          for (const link of await page.locator(".preview a").all())
            assert.match((await link.getAttribute("href")) ?? "", /^https?:/);
        }
        assert.equal(await page.locator("iframe, main svg, main math, main script, [onerror]").count(), 0, path);
      }
      await page.waitForTimeout(200);
      assert.deepEqual(ran, []);
      await context.close();
    });
  }

  test("a page of another origin changes nothing, though the browser sends the cookie along (W1)", async (t) => {
    const person = await newUser(fixture.service.deps);
    const { base } = fixture.service;
    // localhost on another port is the same site: SameSite does not help, only what the API asks for does.
    const evil = createServer((_, res) => res.setHeader("content-type", "text/html").end("<h1>Hello</h1>"));
    evil.listen(0, "localhost");
    await once(evil, "listening");
    t.after(() => {
      evil.close();
      evil.closeAllConnections();
    });
    const context = await fixture.openContext(person);
    const page = await context.newPage();
    await page.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
    const sent = await page.evaluate(
      `(async () => {
        const outcomes = [];
        for (const type of ["text/plain", "application/json"])
          for (const mode of ["no-cors", "cors"])
            outcomes.push(await fetch("${base}/api/studios", { method: "POST", mode, credentials: "include",
              headers: { "content-type": type }, body: JSON.stringify({ name: "Evil" }) }).then(
                (answer) => answer.type + answer.status, () => "blocked"));
        return outcomes;
      })()`,
    );
    assert.deepEqual(sent, ["blocked", "blocked", "blocked", "blocked"], "not even that something was answered");
    await page.setContent(
      `<form method="post" action="${base}/api/studios" enctype="text/plain"><input name='{"name":"Evil","x":"' value='"}'></form>`,
    );
    await Promise.all([page.waitForNavigation(), page.evaluate("document.forms[0].submit()")]);
    assert.match((await page.textContent("body")) ?? "", /forbidden/);
    assert.deepEqual((await describeMe(fixture.service.deps, person)).memberships, []);
    await context.close();
  });

  test("the policies of our pages: csp_evaluator finds nothing high, and nothing inline runs (W2)", async () => {
    const own = buildWebAppCsp();
    for (const policy of [own, buildWebAppCsp("https://store.example"), strictCsp]) {
      const findings = new CspEvaluator(new CspParser(policy).csp).evaluate();
      const grave = findings.filter(({ severity }) => severity <= Severity.HIGH_MAYBE && severity !== Severity.NONE);
      assert.deepEqual(
        grave.map(({ description }) => description),
        [],
      );
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|\*/);
    }
    const context = await fixture.openContext(undefined);
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(new URL(request.url()).origin));
    const answer = await page.goto(fixture.service.base);
    assert.equal(answer?.headers()["content-security-policy"], own);
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    assert.deepEqual([...new Set(asked)], [fixture.service.base], "nobody else's resource");
    const ran = await page.evaluate(`(() => {
      const script = document.createElement("script");
      try { script.textContent = "window.inline = true"; document.body.append(script); } catch {}
      const div = document.createElement("div");
      try { div.innerHTML = "<img src=x onerror='window.inline = true'>"; document.body.append(div); } catch {}
      return window.inline === true;
    })()`);
    assert.equal(ran, false);
    await context.close();
  });

  test("a return address of another site is not followed (W5)", async () => {
    const person = await newUser(fixture.service.deps);
    const context = await fixture.openContext(person);
    const page = await context.newPage();
    for (const to of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "javascript:alert(1)",
      "/%0d%0a/x",
    ]) {
      await page.goto(`${fixture.service.base}/login?return_to=${encodeURIComponent(to)}`);
      assert.equal(new URL(page.url()).origin, fixture.service.base, to);
    }
    await context.close();
  });

  test("each role is offered what the policy says, and told the same by the API (T3)", async () => {
    const scene = await createSampleStudio(fixture.service.deps, "Roles");
    const studio = `${fixture.service.base}/studios/${scene.owner.studio.id}`;
    for (const role of roles) {
      const { may } = listPermissions(role);
      const context = await fixture.openContext(scene[role]);
      const page = await context.newPage();
      const has = async (path: string, name: string | RegExp): Promise<boolean> => {
        await page.goto(`${studio}/${path}`);
        await page.getByRole("heading").first().waitFor();
        await page.waitForLoadState("networkidle").catch(() => {});
        return (await page.getByRole("button", { name }).count()) > 0;
      };
      const told = await (await page.goto(`${fixture.service.base}/api/studios/${scene.owner.studio.id}`))?.json();
      assert.deepEqual(told.may, may, role);
      assert.equal(await has("members", "Invite someone"), may.includes("invitations.create"), role);
      assert.equal(await has("members", /^Remove /), may.includes("members.remove"), role);
      assert.equal(await has("settings", "Save"), may.includes("studio.update"), role);
      assert.equal(await has("settings", "Delete studio…"), may.includes("studio.delete"), role);
      const link = page.getByRole("navigation", { name: "Studio" }).getByRole("link", { name: "Activity" });
      assert.equal((await link.count()) > 0, may.includes("activity.list"), role);
      await context.close();
    }
  });
});
