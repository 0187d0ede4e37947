import { queryOptions } from "@tanstack/react-query";
import type { InferResponseType } from "hono/client";
import { api, fetchJson } from "./client.ts";

const mailApi = api.studios[":studioId"].email;

export type MailSettings = InferResponseType<typeof mailApi.$get>;

/** Which emails the user gets about the studio, and whether the mail server works. */
export const mailSettingsQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "email"],
    queryFn: () => fetchJson(mailApi.$get({ param: { studioId } })),
  });

const reasons: Readonly<Record<NonNullable<NonNullable<MailSettings["test"]>["reason"]>, string>> = {
  unreachable: "The mail server can’t be reached.",
  sign_in: "The mail server rejects the user or password.",
  sender: "The mail server rejects the sender.",
  deferred: "The mail server asked to try again later.",
  rejected: "The mail server rejected the email.",
  secret_lost: "The server’s secrets were changed.",
};

export const describeMailError = (reason: keyof typeof reasons | null): string =>
  reason === null ? "" : reasons[reason];
