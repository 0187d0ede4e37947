import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeMailError, mailSettingsQuery, type MailSettings } from "../api/mail-queries.ts";
import { sendTestMail, setMailFrequencies } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { SelectField } from "../ui/Field.tsx";
import { formatTime } from "../ui/format-time.ts";
import { Notice } from "../ui/Notice.tsx";
import { Section } from "../ui/Section.tsx";
import { useAction } from "../ui/use-action.ts";

type Type = keyof MailSettings["frequencies"];

const types: readonly (readonly [Type, string])[] = [
  ["approval", "Posts wait for your approval"],
  ["failure", "Publishing failed"],
  ["account", "An account needs to be reconnected"],
  ["comment", "Comments on your posts"],
  ["mention", "Someone mentions you"],
  ["review", "Reviews of your posts"],
  ["client", "Changes to your AI clients"],
];
const frequencies = [
  ["at_once", "At once"],
  ["daily", "Once a day"],
  ["never", "Never"],
] as const;

const testPollMs = 2000;

/** Which emails the user gets about this studio, and whether the server can send any. */
export function EmailSettings() {
  const { studio } = useStudio();
  const [isTesting, setIsTesting] = useState(false);
  const { data: settings } = useQuery({
    ...mailSettingsQuery(studio.id),
    refetchInterval: ({ state: { data } }) => isTesting && data?.test?.state === "waiting" && testPollMs,
  });
  const { isRunning, error, run } = useAction();

  async function test(): Promise<void> {
    await sendTestMail({ studioId: studio.id });
    setIsTesting(true);
  }

  if (!settings) return null;
  const { isConfigured, failure, mailbox } = settings;
  return (
    <div id="email">
      <Section title="Email">
        {!isConfigured && (
          <p className="mt-0 max-w-[38rem] text-muted">
            This server sends no emails. Its operator can set <code>SMTP_URL</code> and <code>MAIL_FROM</code>.
          </p>
        )}
        {failure && (
          <Notice tone="warning">
            No emails have been sent since {formatTime(failure.since, studio.timezone)}.{" "}
            {describeMailError(failure.reason)} They wait, and go out when it works again.
          </Notice>
        )}
        {isConfigured && mailbox === null && (
          <p className="mt-0">You get no emails, because the email of your account is not verified.</p>
        )}
        {isConfigured && mailbox !== null && (
          <>
            <p className="mt-0 mb-4 max-w-[38rem] text-muted">
              Emails about this studio go to <strong>{mailbox}</strong>. The daily summary comes at 8:00 in{" "}
              {studio.timezone}, with what you have not read by then.
            </p>
            <div className="grid max-w-[38rem] gap-x-6 gap-y-4 sm:grid-cols-2 [&>*]:mt-0!">
              {types.map(([type, label]) => (
                <SelectField
                  key={type}
                  label={label}
                  options={frequencies}
                  value={settings.frequencies[type]}
                  onChange={({ target }) => {
                    const value = frequencies.find(([frequency]) => frequency === target.value);
                    if (value)
                      void run(() =>
                        setMailFrequencies({ studioId: studio.id }, { frequencies: { [type]: value[0] } }),
                      );
                  }}
                />
              ))}
            </div>
            {error !== undefined && <ErrorMessage error={error} />}
            <p className="mt-5 flex flex-wrap items-center gap-4">
              <Button variant="secondary" busyLabel={isRunning && "Saving…"} onClick={() => void run(test)}>
                Send a test message
              </Button>
              <span role="status">{isTesting && describeTest(settings)}</span>
            </p>
          </>
        )}
      </Section>
    </div>
  );
}

function describeTest({ test, mailbox }: MailSettings): string {
  if (!test) return "";
  if (test.state === "delivered") return `The mail server accepted it. Look into the inbox of ${mailbox}.`;
  if (test.state === "waiting" && test.reason === null) return "Sending…";
  return `${describeMailError(test.reason)}${test.state === "waiting" ? " Trying again…" : ""}`;
}
