import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listWebhooks } from "#domain/webhooks/webhooks.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { useStudioPages } from "../support/studio-pages.ts";

describe("webhooks in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: [] });

  test("creates one and shows its secret once, tests it, and enables it again (HOOK-1, HOOK-5, HOOK-7)", async () => {
    const page = await pages.open("settings");
    await page.getByRole("link", { name: "Manage webhooks" }).click();
    await page.getByRole("button", { name: "New webhook" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("URL").fill("https://hooks.example.com/atelier");
    await dialog.getByRole("checkbox", { name: "Posts" }).check();
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Create webhook" }).click();
    await dialog.getByText("whsec_").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Close without copying" }).click();
    await page.getByText("Publications, Posts").waitFor();
    await page.getByRole("button", { name: "Send a test event to https://hooks.example.com/atelier" }).click();
    await page.getByText("The endpoint couldn’t be reached or didn’t respond in time").waitFor();
    await page.getByText("Deliveries").click();
    await page.getByText("webhook.test").waitFor();
    const [webhook] = (await listWebhooks(pages.deps, pages.owner)).webhooks;
    const disabled = { disabledAt: pages.deps.clock(), disabledReason: "failing" } as const;
    await pages.deps.webhooks.update(webhook!.id, disabled);
    await page.reload();
    await page.getByText("it failed for five days").waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole("button", { name: /resend what was missed/ }).click();
    await page.getByText("it failed for five days").waitFor({ state: "detached" });
    assert.equal((await listWebhooks(pages.deps, pages.owner)).webhooks[0]?.disabled, null);
  });
});
