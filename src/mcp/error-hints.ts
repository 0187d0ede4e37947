import { getSettingsHint } from "#domain/steps/configured-platform.ts";
import { formatWait, type ErrorHints } from "#lib/error-messages.ts";

const orUploadInstead = "or upload the file with request_asset_upload or create_upload_session.";
const retrySoon = "Try again in a moment.";
const askOperator = "Tell the user to ask the operator of this server.";

/** What the model should do next, per error. The only place where the errors of verbs name tools. */
export const errorHints: ErrorHints = {
  "forbidden:role": "Tell the user to ask an owner or admin of the studio.",
  "forbidden:access_changed":
    "Call whoami for what you may do now; if that fails, tell the user to reconnect this client.",
  "forbidden:managed_role": "Tell the user to ask an owner of the studio.",
  "forbidden:option":
    "Omit the option, or repeat what get_post returned. A person chooses it in the web app, at the latest when approving.",
  "forbidden:approve": "Tell the user to approve or resolve it on the Publications page of the web app.",

  "not_found:post": "Call list_posts to find the ids of posts.",
  "not_found:revision": "Call get_post_history to see the revisions that are kept.",
  "not_found:asset": "Call list_assets to find the ids of assets.",
  "not_found:attachable_asset":
    "If its upload was rejected or deleted, call request_asset_upload for a new URL. Call list_assets to find the ids of assets.",
  "not_found:publication": "Call list_publications to find the ids of publications.",
  "not_found:platform_connection": "Call list_platforms to find the ids of connections.",

  "invalid_input:no_changes": ({ fields }) => `Provide ${fields}.`,
  "invalid_input:revision_required": "Call get_post, base the change on its current text, and pass its revision.",
  "invalid_input:publish_time": ({ earliest, latest }) =>
    `Pass at with an offset, between ${earliest} and ${latest}, or omit it to publish as soon as it is approved.`,
  "invalid_input:since": ({ earliest, latest }) => `Pass since between ${earliest} and ${latest}.`,
  "invalid_input:variants": "Pass one variant per connectionId; list_platforms has the ids.",
  "invalid_input:option": "Call list_platforms with includeOptions for the options of each platform.",
  "invalid_input:variant_assets": "Call get_post and pass ids from its assets.",
  "invalid_input:cursor": "Call again without cursor to start at the first page.",
  "invalid_input:asset_order":
    "Call get_post and pass all of its asset ids in the new order. attach_asset and detach_asset change which assets a post has.",
  "invalid_input:base64": ({ isDataUrl }) =>
    isDataUrl
      ? "Remove everything up to and including the comma of the data: URL."
      : "Use the standard alphabet (A-Z a-z 0-9 + /) with = padding, and no whitespace except line breaks.",
  "invalid_input:empty_file": "Send a file that has content.",
  "invalid_input:empty_upload": "Call request_asset_upload again and PUT the file to the new uploadUrl.",
  "invalid_input:post_archived": "Call update_post with status draft first.",
  "invalid_input:no_instances": "Omit instanceUrl.",
  "invalid_input:instance_url": "Ask the user which instance the account is on, such as https://mastodon.social.",

  inline_too_large_use_presign:
    "Call request_asset_upload and PUT the file to its uploadUrl, or call create_upload_session so that the user can upload it.",
  "too_large:upload":
    "Call request_asset_upload again for a smaller file, or create_upload_session so that the user can upload it in full.",
  "too_large:import": "Import a smaller file, or let the user upload it with create_upload_session.",
  "too_large:pixels": "Use a smaller image.",
  "too_large:put": "Use a smaller file.",
  "unsupported_type:kind": ({ otherKind, allowed }) =>
    otherKind
      ? `Use kind ${otherKind} for it.`
      : `Convert the file, or use one of: ${allowed.join(", ")}. SVG and HTML are not accepted.`,
  "unsupported_type:url":
    "If you chose the URL, pass that of the file itself, not of a page that shows it. Call whoami for the allowed types.",
  "too_large:upload_pixels": "Call request_asset_upload again for a smaller image.",
  type_mismatch: "Declare the file's real type, or convert the file first. Call whoami for the allowed types.",
  "type_mismatch:upload":
    "Call request_asset_upload again with the file's real type, PUT the file to the new uploadUrl and attach the new asset. Call whoami for the allowed types.",
  not_uploaded: 'PUT the file to its uploadUrl (curl -T file "$uploadUrl"), then call attach_asset again.',
  "not_uploaded:copy": "Call attach_asset first, which verifies an uploaded file, then copy the asset.",
  "upload_expired:url": "Call request_asset_upload for a new URL.",
  asset_limit_reached: "Call detach_asset for one of them first, or attach this asset to another post.",
  already_attached: "Call copy_asset and attach the copy, or call detach_asset for that post first to move it.",
  not_attached: "Call get_asset to see which post it is on.",
  asset_in_use: "Call detach_asset first.",
  not_publishable:
    "Fix each problem with update_post (variants with body, assetIds or options change one account; what only a person may choose is asked for when they approve, so publish with propose), attach_asset or detach_asset, or publish to fewer accounts; get_post shows the validation of every account, and list_platforms which platforms can be published to (canPublish).",
  already_scheduled: "Call list_publications with the post's id; reschedule or cancel that publication instead.",
  no_free_slot: "Pass a time as at. Owners and admins can add slots in the web app's settings.",
  too_late:
    "Call list_publications to see its state. An unconfirmed publication is resolved by a person in the web app.",
  review_pending:
    "Call publish_post with propose, so that a person approves it after the review. Only people end the wait, in the web app.",
  post_in_use:
    "Call list_publications with the post's id and cancel_publication for what is scheduled; a person resolves unconfirmed ones in the web app.",
  revision_conflict: "Call get_post, then repeat the change with the new revision.",
  idempotency_conflict: "Use a new key for a new call.",

  "rate_limited:requests": ({ retryAfter }) => `Call again ${formatWait(retryAfter)}.`,
  "rate_limited:calls": ({ retryAfter }) => `Call again ${formatWait(retryAfter)}, at a slower pace.`,
  "rate_limited:searches": "Search again when one of them has finished.",
  "rate_limited:operations": "Call again when one of them has finished.",
  "rate_limited:results": ({ retryAfter }) => `Call again ${formatWait(retryAfter)}.`,
  "rate_limited:imports": "Call again when one of them has finished.",
  "quota_exceeded:studio":
    "Delete files that are no longer needed (list_assets with unattached, then delete_asset). Deleted files count until the trash is emptied: ask an owner or admin to empty it in the web app.",
  "quota_exceeded:free_space":
    "Tell the user to use a smaller file, or to ask the operator of this server for more space.",
  "quota_exceeded:comments": "Tell the user. Comments can be deleted in the web app.",
  "quota_exceeded:stored_comments":
    "Tell the user. Comments that undo_changes removed still count, until they are deleted for good after 31 days.",
  "quota_exceeded:publications":
    "Canceling publications does not help. Create another post with the same content with create_post, and publish that one.",
  "quota_exceeded:open_publications":
    "Tell the user. Publications that wait or failed to start are listed by list_publications; cancel_publication ends one.",
  "quota_exceeded:upload_links":
    "Give the user the last link again: a link accepts several files, and expires after 30 minutes. Links can be withdrawn in the web app.",
  "quota_exceeded:review_links": "Tell the user to withdraw review links in the web app.",
  "quota_exceeded:stored_review_links":
    "Withdrawing links does not help. Create another post with the same content with create_post, and share that one.",
  "quota_exceeded:app_uploads":
    "Upload the files in a view of the post that already uploaded some, or call app_create_upload again in 30 minutes.",
  "quota_exceeded:link_files": "Call app_create_upload again for more files.",
  "quota_exceeded:connections": "Disconnect accounts that are no longer needed with disconnect_platform.",

  "storage_unavailable:*": retrySoon,
  "storage_unavailable:store_denied": askOperator,
  "storage_unavailable:disk_full": askOperator,
  "storage_unavailable:damaged": askOperator,

  "url_blocked:import": `Use an https URL of a public host, ${orUploadInstead}`,
  "url_unreachable:import": `Check the URL, ${orUploadInstead}`,
  "url_blocked:instance": "Use the https URL of a public instance.",
  "url_unreachable:platform": retrySoon,
  "url_unreachable:instance": "Check the instance's URL with the user, then try again.",
  "url_unreachable:refresh": "Try again in a minute.",
  platform_unsupported: ({ platforms }) => `Choose one of: ${platforms.join(", ")}. Call list_platforms for details.`,
  platform_not_configured: getSettingsHint,
  "platform_not_configured:rejected": getSettingsHint,
  "connect_expired:credential": "Call connect_platform so that an owner or admin can connect the account again.",
};
