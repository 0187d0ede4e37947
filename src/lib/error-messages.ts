import { formatByteLimit } from "./format-bytes.ts";

/**
 * Every error that code below the edges throws: a code, or `code:reason` if a code has several causes. Each function
 * takes the error's data and returns a neutral sentence about what happened. What to do next depends on the reader:
 * hints for models are in `src/mcp/error-hints.ts`, hints for people in `src/http/error-hints.ts`.
 */
export const errorMessages = {
  unauthenticated: () => "You are not signed in.",
  "forbidden:role": (data: { role: string; needed: string }) =>
    `Your role in this studio is ${data.role}; this requires ${data.needed}.`,
  "forbidden:access_changed": () => "Your access to this studio ended or changed meanwhile. Nothing was changed.",
  "forbidden:managed_role": (data: { role: string; managedRole: string }) =>
    `Your role in this studio is ${data.role}; only an owner can manage the role ${data.managedRole}.`,
  "forbidden:approve": () =>
    "Only people who may publish can approve or resolve publications, and only in the web app.",
  "forbidden:option": (data: { name: string }) => `options: only a person can choose ${data.name}.`,
  "forbidden:comment_author": () => "Only the author can delete a comment.",
  "forbidden:review_hold": () => "Only people can let publishing wait for a review or end that, in the web app.",
  "forbidden:last_owner": () => "A studio must keep at least one owner.",
  "forbidden:company_email": () => "This account has no verified email in the domains of its company.",
  "forbidden:linked_identity": () => "Another user of this server has linked this account.",
  "forbidden:no_studio": () => "The user is not a member of any studio.",
  "forbidden:client_blocked": () => "A person revoked this client, and the user has not allowed it again.",
  "forbidden:account_disabled": () => "This account has been disabled.",
  "forbidden:user_disabled": (data: { name: string }) =>
    `${data.name} is disabled. Enable the user first, or choose another one.`,
  "forbidden:not_admitted": () => "This account may not sign in here.",
  "forbidden:email_not_verified": () => "This account may not sign in here: its email is not verified.",
  "forbidden:create_studio": () => "You joined this server by invitation, so you can’t create studios.",
  "forbidden:invitation_email": () => "This invitation is for another email.",
  "forbidden:connect_page": () => "This page was created for another user. No account was connected.",
  "forbidden:upload_link": () => "This upload link is invalid or has expired.",
  "forbidden:upload_link_withdrawn": () => "This upload link was withdrawn.",
  "forbidden:file_url": () => "This link is invalid or has expired.",

  "not_found:post": () => "This post does not exist.",
  "not_found:comment": () => "This comment does not exist.",
  "not_found:revision": () => "The post has no such revision.",
  "not_found:publication": () => "This publication does not exist.",
  "not_found:trash_item": () => "This item is not in the trash.",
  "not_found:undo": () => "This undo does not exist.",
  "not_found:asset": () => "This asset does not exist.",
  "not_found:attachable_asset": () => "This asset does not exist.",
  "not_found:file": () => "This file does not exist.",
  "not_found:image": () => "This image does not exist.",
  "not_found:studio": () => "This studio does not exist.",
  "not_found:member": () => "This member does not exist.",
  "not_found:user": () => "This user does not exist.",
  "not_found:client": () => "This client does not exist.",
  "not_found:grant": (data: { grantId: string }) => `The grant ${data.grantId} does not exist.`,
  "not_found:invitation": () => "This invitation does not exist.",
  "not_found:invitation_link": () => "This invitation does not exist, was already used or revoked, or has expired.",
  "not_found:upload_link": () => "This upload link does not exist.",
  "not_found:review_link": () => "This review link does not exist.",
  "not_found:upload": () => "This upload was canceled or has expired.",
  "not_found:platform_connection": () => "This platform connection does not exist.",
  "not_found:unsubscribe_link": () => "This link is incomplete, or older than a year.",
  "not_found:calendar_feed": () => "This calendar feed does not exist, or its URL was replaced or revoked.",
  "not_found:webhook": () => "This webhook does not exist.",
  "not_found:delivery": () => "This delivery does not exist.",
  "not_found:link": () => "This link is invalid or has expired.",

  "invalid_input:no_changes": (_data: { fields: string }) => "No changes provided.",
  "invalid_input:revision_required": () => "revision: required to change the title, body or variants.",
  "invalid_input:publish_time": (data: { earliest: string; latest: string }) =>
    `at: must be between ${data.earliest} and ${data.latest}.`,
  "invalid_input:publication_url": (data: { hosts: readonly string[] }) =>
    `url: must be on ${data.hosts.join(" or ")}.`,
  "invalid_input:since": (data: { earliest: string; latest: string }) =>
    `since: must be between ${data.earliest} and ${data.latest}.`,
  "invalid_input:variants": () => "variants: each account at most once.",
  "invalid_input:variant_assets": () => "variants: assetIds must be assets of this post, each at most once.",
  "invalid_input:option": (data: { message: string }) => `options: ${data.message}`,
  "invalid_input:guest_comment": () => "A guest sees their own comments.",
  "invalid_input:reply": () => "This comment is a reply. Only a whole thread can be resolved.",
  "invalid_input:cursor": () => "cursor: does not belong to this list.",
  "invalid_input:asset_order": () => "assetIds: must list the post’s current assets, each exactly once.",
  "invalid_input:base64": (_data: { isDataUrl: boolean }) => "base64: not valid base64.",
  "invalid_input:empty_file": () => "The file is empty.",
  "invalid_input:empty_upload": () => "The uploaded file is empty; it was deleted.",
  "invalid_input:post_archived": () => "The post is archived and does not accept files.",
  "invalid_input:part": () => "parts: the file has no such part.",
  "invalid_input:part_superseded": () => "This part was sent again or is no longer needed.",
  "invalid_input:part_length": () => "The part does not have the expected length.",
  "invalid_input:part_too_short": () => "The part is shorter than expected.",
  "invalid_input:studio_name": (_data: { name: string }) => "The name does not match the studio’s name.",
  "invalid_input:ambiguous_email": (data: { count: number; ids: string }) =>
    `${data.count} users have this email. Choose one by id: ${data.ids}.`,
  "invalid_input:unverified_email": (data: { id: string }) =>
    `The identity provider has not verified this email, so the user may be another person. If you know the user, use the id: ${data.id}.`,
  "invalid_input:no_instances": (data: { name: string }) => `instanceUrl: ${data.name} has no instances.`,
  "invalid_input:instance_url": () => "instanceUrl: expected the https URL of an instance.",
  "invalid_input:webhook_url": () => "url: expected a complete https URL.",
  "invalid_input:mail_off": () => "This server sends no emails: its operator has not configured a mail server.",
  "invalid_input:no_mailbox": () => "Your account has no verified email.",
  "invalid_input:json": () => "The body is not valid UTF-8 JSON.",
  "invalid_input:json_shape": () => "The JSON is nested too deeply or has too many values.",

  inline_too_large_use_presign: (data: { limitBytes: number }) =>
    `A file sent inline must be smaller than ${data.limitBytes} bytes.`,
  "too_large:upload": (data: { kind: string; limitBytes: number }) =>
    `The file is larger than ${data.limitBytes} bytes, the limit for kind ${data.kind}; it was deleted.`,
  "too_large:import": (data: { limitBytes: number }) =>
    `The file is larger than ${data.limitBytes} bytes, the limit for its kind.`,
  "too_large:pixels": (data: { megapixels: number }) =>
    `The image has more than ${data.megapixels} million pixels, or too many frames or parts.`,
  "too_large:upload_pixels": (data: { megapixels: number }) =>
    `The image has more than ${data.megapixels} million pixels, or too many frames or parts; it was deleted.`,
  "too_large:put": () => "The file is larger than the limit for its kind.",
  "unsupported_type:kind": (data: { kind: string; mimeType: string; otherKind?: string; allowed: readonly string[] }) =>
    `A file of kind ${data.kind} can’t have the type ${data.mimeType === "" ? "(none)" : data.mimeType}.`,
  "unsupported_type:url": (data: { mimeType: string }) =>
    `The file has the type ${data.mimeType}, which is not supported.`,
  "unsupported_type:file": () => "Files of this type are not accepted.",
  type_mismatch: (data: { declared: string; actual: string }) =>
    `The file was declared as ${data.declared}, but its content is ${data.actual}.`,
  "type_mismatch:upload": (data: { declared: string; actual: string }) =>
    `The file was declared as ${data.declared}, but its content is ${data.actual}; it was deleted.`,
  not_uploaded: () => "The file has not been uploaded yet.",
  "not_uploaded:copy": () => "The file of this asset has not been uploaded and verified, so it can’t be copied.",
  "not_uploaded:parts": () => "Some parts of the file have not arrived yet.",
  "upload_expired:url": () => "Nothing was uploaded before the upload URL expired.",
  "upload_expired:link": () => "This link no longer accepts new files: it expired after 30 minutes.",
  "upload_expired:file": () => "This file did not arrive within 24 hours.",
  asset_limit_reached: (data: { limit: number }) => `The post already has ${data.limit} assets, the maximum.`,
  already_attached: () => "The asset is on another post.",
  "already_attached:file": () => "The file has already arrived.",
  not_attached: () => "The asset is not on this post.",
  asset_in_use: () => "The asset is on a post.",
  already_scheduled: () => "The post already has a publication for this account that is not finished.",
  no_free_slot: () => "An account has no slots, or none that is free in the next 60 days.",
  not_publishable: (data: {
    problems: readonly { connectionId: string; problems: readonly { message: string }[] }[];
  }) =>
    `The post can’t be published: ${[...new Set(data.problems.flatMap(({ problems }) => problems.map(({ message }) => message)))].join(" ")}`,
  too_late: (data: { state: string }) => `The publication is ${data.state}, so it can’t be changed like this.`,
  review_pending: () => "The post waits for a review: nothing of it can be scheduled until the guest approves it.",
  review_ended: () => "This review link has expired, ended or was withdrawn.",
  post_in_use: () => "The post has a publication that is scheduled, publishing or unconfirmed.",
  revision_conflict: (data: { revision: number }) =>
    `The post was changed in the meantime; it is at revision ${data.revision}.`,
  "revision_conflict:review": () => "The post was changed since it was shown.",
  "revision_conflict:time": () => "The time of the publication was changed in the meantime.",
  idempotency_conflict: () => "This idempotencyKey was used with different input in the last 24 hours.",

  "rate_limited:requests": (_data: { retryAfter: number }) => "Too many requests.",
  "rate_limited:calls": (data: { perMinute: number; retryAfter: number }) =>
    `More than ${data.perMinute} calls per minute.`,
  "rate_limited:results": (_data: { retryAfter: number }) => "The results were read less than a minute ago.",
  "rate_limited:imports": (data: { owner: "user" | "studio"; limit: number }) =>
    `${data.owner === "user" ? "You have" : "The studio has"} ${data.limit} imports in progress, the maximum.`,
  "rate_limited:searches": (data: { limit: number }) =>
    `You have ${data.limit} searches running or waiting, the maximum.`,
  "rate_limited:operations": (data: { limit: number }) =>
    `You have ${data.limit} operations over many items running or waiting, the maximum.`,
  "rate_limited:streams": () => "Too many pages of this account are open.",
  "rate_limited:link": () => "Other files of this upload link are still uploading.",
  "quota_exceeded:own_studios": (data: { limit: number }) =>
    `You already own ${data.limit} studios, the maximum on this server.`,
  "quota_exceeded:new_owner_studios": (data: { limit: number }) =>
    `This user already owns ${data.limit} studios, the maximum on this server.`,
  "quota_exceeded:studio": (data: { limitBytes: number }) =>
    `The file does not fit in the studio’s quota of ${formatByteLimit(data.limitBytes)}.`,
  "quota_exceeded:free_space": () => "The file is larger than the free space of the file store.",
  "quota_exceeded:comments": (data: { limit: number }) => `The post already has ${data.limit} comments, the maximum.`,
  "quota_exceeded:stored_comments": (data: { limit: number }) =>
    `The post already has ${data.limit} comments, including deleted ones, the maximum.`,
  "quota_exceeded:publications": (data: { limit: number }) =>
    `A post can have up to ${data.limit} publications, canceled ones included.`,
  "quota_exceeded:open_publications": (data: { limit: number }) =>
    `The studio already has ${data.limit} publications that are not finished, the maximum.`,
  "quota_exceeded:invitations": (data: { limit: number }) =>
    `The studio already has ${data.limit} open invitations, the maximum.`,
  "quota_exceeded:upload_links": (data: { limit: number }) =>
    `The post already has ${data.limit} open upload links, the maximum.`,
  "quota_exceeded:review_links": (data: { limit: number }) =>
    `A post already has ${data.limit} open review links, the maximum.`,
  "quota_exceeded:stored_review_links": (data: { limit: number }) =>
    `A post can have up to ${data.limit} review links, withdrawn ones included.`,
  "quota_exceeded:review_decisions": (data: { limit: number }) =>
    `${data.limit} decisions about the post were made through this review link, the maximum.`,
  "quota_exceeded:review_text": () => "The posts of this review link are too long to be shown together.",
  "quota_exceeded:guest_comments": (data: { limit: number }) =>
    `${data.limit} comments were added through this review link, the maximum.`,
  "quota_exceeded:app_uploads": (data: { limit: number }) =>
    `You already have ${data.limit} open uploads to this post in AI clients, the maximum.`,
  "quota_exceeded:link_files": (data: { limit: number }) =>
    `${data.limit} files were uploaded through this upload link, the maximum.`,
  "quota_exceeded:file_changes": (data: { limit: number }) =>
    `The file was changed ${data.limit} times, the maximum through an upload link.`,
  "quota_exceeded:connections": (data: { limit: number }) =>
    `A studio can connect up to ${data.limit} accounts. No account was connected.`,
  "quota_exceeded:webhooks": (data: { limit: number }) => `The studio already has ${data.limit} webhooks, the maximum.`,

  "storage_unavailable:database": () => "The database is unavailable.",
  "storage_unavailable:database_busy": () => "The database is overloaded.",
  "storage_unavailable:store": () => "The file store is unavailable.",
  "storage_unavailable:store_denied": () => "The file store rejected the server’s credentials.",
  "storage_unavailable:store_response": () => "The file store sent an invalid response.",
  "storage_unavailable:store_lost": () => "The file store lost the file.",
  "storage_unavailable:disk_full": () => "The file store is full.",
  "storage_unavailable:slow": () => "Storing the file took too long.",
  "storage_unavailable:truncated": () => "The file store returned only part of the file.",
  "storage_unavailable:part_in_progress": () => "A part of the file is still being received.",
  "storage_unavailable:contention": () => "Other requests kept changing the same data.",
  "storage_unavailable:damaged": () => "The stored file is damaged.",

  "url_blocked:import": (data: { cause: string }) => `The URL can’t be fetched: ${data.cause}.`,
  "url_blocked:instance": (data: { cause: string }) => `The instance URL can’t be used: ${data.cause}.`,
  "url_blocked:webhook": (data: { host: string; cause: string }) =>
    `url: ${data.host} can’t be used as a webhook: ${data.cause}.`,
  "url_unreachable:import": (data: { cause: string }) => `The file couldn’t be fetched: ${data.cause}.`,
  "url_unreachable:platform": (data: { name: string; cause: string }) =>
    `Couldn’t connect to ${data.name}: ${data.cause}.`,
  "url_unreachable:instance": (data: { name: string; cause: string }) =>
    `Couldn’t connect to ${data.name}: ${data.cause}.`,
  "url_unreachable:refresh": () => "The platform’s credentials couldn’t be refreshed in time.",
  platform_unsupported: (_data: { platforms: readonly string[] }) => "This server does not support this platform.",
  platform_not_configured: (data: { name: string; id: string }) => `${data.name} is not set up on this server.`,
  "platform_not_configured:rejected": (data: { name: string; id: string }) =>
    `${data.name} did not accept this server’s credentials.`,
  "connect_expired:page": () => "This page has expired or was already used.",
  "connect_expired:credential": () => "The platform no longer accepts this connection.",
  "connect_denied:user": (data: { name: string }) => `Access was denied at ${data.name}. No account was connected.`,
  "connect_denied:app": (data: { name: string }) =>
    `${data.name} no longer recognizes this server. No account was connected.`,
  "connect_denied:platform": (data: { name: string }) =>
    `${data.name} did not accept the connection. No account was connected.`,
} as const;

export type ErrorKey = keyof typeof errorMessages;

export type ErrorData<Key extends ErrorKey> =
  Parameters<(typeof errorMessages)[Key]> extends [infer Data] ? Data : undefined;

/** What to do next, by error; a function if the text depends on the data. A key of `code:*` applies to other reasons. */
export type ErrorHints = Partial<{
  [Key in ErrorKey]: string | ((data: ErrorData<Key>) => string | undefined);
}> & { "storage_unavailable:*"?: string };

/** Formats when to retry: "in 1 second", "in 40 seconds", "in 5 minutes". */
export function formatWait(seconds: number): string {
  if (seconds === 1) return "in 1 second";
  return seconds < 120 ? `in ${seconds} seconds` : `in ${Math.ceil(seconds / 60)} minutes`;
}
