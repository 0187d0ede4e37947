import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startMailSender } from "#domain/jobs/mail/send-mails.ts";
import { getMailSettings } from "#domain/mail/mail-settings.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { useStudioPages } from "../support/studio-pages.ts";
import { newMember } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

describe("emails in a browser", { skip: skipWithoutChromium }, () => {
  let server: MailServer;
  before(async () => {
    server = await startMailServer();
  });
  after(() => server.close());
  const pages = useStudioPages({ createMailer: () => server.newMailer() });

  test("a user chooses their emails and gets a test message; owners see when the mail server fails (MAIL-1, MAIL-6)", async (t) => {
    const page = await pages.open("settings", { device: "phone" });
    await page.getByLabel("Comments on your posts").selectOption("Never");
    const readFrequency = async () => (await getMailSettings(pages.deps, pages.owner)).frequencies.comment;
    await waitUntil(async () => (await readFrequency()) === "never", { description: "the choice is saved" });
    const sender = startMailSender(
      { ...pages.deps, mailer: server.newMailer() },
      { onError: assert.ifError, pollMs: 100 },
    );
    t.after(() => sender.stop());
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("The mail server accepted it.").waitFor();
    assert.deepEqual(server.received[0]?.to, [pages.owner.user.email]);
    assert.deepEqual(await findViolations(page), []);

    server.failAt = { command: "MAIL FROM", code: 550 };
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("No emails have been sent since").waitFor();
    await pages.goTo(page, "");
    await page.getByText("Emails are not sent.").waitFor();
    assert.deepEqual(await findViolations(page), []);
    const member = await newMember(pages.deps, pages.owner, "member");
    const memberPage = await pages.open("settings", { user: member });
    await memberPage.getByText("No emails have been sent since").waitFor();
    assert.equal(await memberPage.getByText("Emails are not sent.").count(), 0);
  });
});
