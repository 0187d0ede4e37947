import { getSettingsHint } from "#domain/steps/configured-platform.ts";
import { formatWait, type ErrorHints } from "#lib/error-messages.ts";

const retrySoon = "Try again in a moment.";
const newLink = "Ask the person who sent you the link for a new one.";
const acceptedFormats =
  "Choose an image (JPEG, PNG, WebP, GIF, AVIF, HEIC), a video (MP4, MOV, WebM, MPEG) or a document (PDF, Word, PowerPoint, Excel, OpenDocument, text).";
const restartConnect = "Start again from the studio’s Platforms page.";

/** What a person should do next, by error: for the web app, the upload page and the plain pages. */
export const errorHints: ErrorHints = {
  unauthenticated: "Sign in, then try again.",
  "forbidden:role": "Ask an owner or admin of the studio.",
  "forbidden:access_changed": "Reload the page.",
  "forbidden:managed_role": "Ask an owner of the studio.",
  "forbidden:approve": "Ask an owner or admin to approve it under Approvals on the Publications page.",
  "forbidden:comment_author": "Ask the author to delete it, or resolve the thread.",
  "forbidden:last_owner": "Make someone else an owner first.",
  "forbidden:account_disabled": "Ask the operator of this server to enable it again.",
  "forbidden:not_admitted": "Use another account, or ask for an invitation.",
  "forbidden:email_not_verified": "Verify the email at your identity provider, or use another account.",
  "forbidden:create_studio":
    "Open your invitation link to work in its studio, or ask the operator to allow your email.",
  "forbidden:invitation_email": "Sign in with the email that it was created for.",
  "forbidden:connect_page":
    "Sign in as the user who requested it, or start from the Platforms page of your own studio.",
  "forbidden:upload_link": newLink,
  "forbidden:upload_link_withdrawn": newLink,
  "forbidden:file_url": "Reload the page to get a new link.",

  "not_found:invitation_link": "Ask for a new invitation link.",
  "not_found:upload": "Upload the file again.",
  "not_found:calendar_feed": "Create a new URL in the settings of the studio.",
  "not_found:link": "Reload the page to get a new link.",

  "not_found:comment": "It was deleted. Reload the post.",
  "not_found:revision": "Reload the history.",
  "not_found:publication": "See the Publications page for all publications.",
  "not_found:trash_item": "It was restored or deleted for good. Reload the trash.",
  "invalid_input:publish_time": "Choose a time from now to one year ahead.",
  "invalid_input:publication_url": "Copy the URL of the post from the platform, or leave the field empty.",
  "invalid_input:variants": "Reload the post, then change the text again.",
  "invalid_input:option": "Reload the post, then choose the options again.",
  "invalid_input:variant_assets": "Reload the post, then choose the files again.",
  "invalid_input:reply": "Resolve the comment that started the thread.",
  "invalid_input:cursor": "Reload the list.",
  "invalid_input:asset_order": "Reload the post, then reorder its files again.",
  "invalid_input:empty_file": "Choose a file that has content.",
  "invalid_input:post_archived": "Make the post a draft again first.",
  "invalid_input:part_too_short": "Send the whole part.",
  "invalid_input:studio_name": ({ name }) => `Type it exactly: ${name}`,
  "invalid_input:instance_url": "Enter the URL of your instance, such as https://mastodon.social.",

  "invalid_input:webhook_url": "Enter a URL such as https://example.com/hooks.",

  "too_large:upload": "Use a smaller file.",
  "too_large:pixels": "Use a smaller image.",
  "too_large:put": "Use a smaller file.",
  "unsupported_type:file": acceptedFormats,
  type_mismatch: "Export it again, or choose another file.",
  "not_uploaded:copy": "Wait until the upload has finished, then copy it.",
  "not_uploaded:parts": "Resume the upload to send the missing parts.",
  "upload_expired:link": newLink,
  "upload_expired:file": newLink,
  asset_limit_reached: "Remove a file from the post first.",
  already_attached: "Make a copy of it, or remove it from that post first.",
  "already_attached:file": "You can remove or delete it in the web app.",
  not_attached: "Reload the post to see its current files.",
  asset_in_use: "Remove it from the post first.",
  not_publishable: "Fix the problems first, or leave out this account.",
  already_scheduled: "Reschedule or cancel that publication instead.",
  no_free_slot: "Choose a time. Owners and admins can add slots in the settings.",
  too_late: "Reload to see its current state.",
  review_pending: "Wait for the guest’s approval, or withdraw the review link that publishing waits for.",
  review_ended: newLink,
  post_in_use: "Cancel or resolve its publications first.",
  revision_conflict: "Reload the post, then make the change again.",
  "revision_conflict:review": "Look at the new version, then decide again.",
  "revision_conflict:time": "Check the new time, then approve it again.",

  "rate_limited:requests": ({ retryAfter }) => `Try again ${formatWait(retryAfter)}.`,
  "rate_limited:calls": ({ retryAfter }) => `Try again ${formatWait(retryAfter)}, at a slower pace.`,
  "rate_limited:searches": "Search again when one of them has finished.",
  "rate_limited:link": "This file continues automatically.",
  "rate_limited:operations": "Try again when one of them has finished.",
  "rate_limited:results": "Wait a minute, then read them again.",
  "rate_limited:imports": "Try again when one of them has finished.",
  "quota_exceeded:studio":
    "Delete files that are no longer needed and empty the trash, which counts too, or ask the operator for more space.",
  "quota_exceeded:free_space": "Use a smaller file, or ask the operator of this server for more space.",
  "quota_exceeded:own_studios":
    "Delete a studio you no longer need, or leave one that has another owner, then try again.",
  "quota_exceeded:new_owner_studios": "Choose another member, or ask them to delete or leave a studio they own first.",
  "quota_exceeded:comments": "Delete comments of yours that are no longer needed, then try again.",
  "quota_exceeded:stored_comments":
    "Comments that an undo removed are deleted for good after 31 days. Until then, comment on a copy of the post.",
  "quota_exceeded:publications": "Duplicate the post, then publish the copy.",
  "quota_exceeded:open_publications": "Approve, resolve or cancel some of them first.",
  "quota_exceeded:invitations":
    "Revoke invitations that are no longer needed, or wait until some are accepted or expire.",
  "quota_exceeded:upload_links": "Withdraw upload links that are no longer needed, or wait until some expire.",
  "quota_exceeded:link_files": newLink,
  "quota_exceeded:review_links": "Withdraw review links that are no longer needed, or wait until some expire.",
  "quota_exceeded:stored_review_links": "Duplicate the post, then share the copy.",
  "quota_exceeded:review_decisions": newLink,
  "quota_exceeded:review_text": "Ask for links with fewer posts.",
  "quota_exceeded:guest_comments": newLink,
  "quota_exceeded:file_changes": "A member of the studio can change it in the web app.",
  "quota_exceeded:connections": "Disconnect accounts that are no longer needed, then start again.",
  "quota_exceeded:webhooks": "Delete webhooks that are no longer needed, then try again.",

  "storage_unavailable:*": retrySoon,
  "storage_unavailable:store_denied": "The operator must check the server’s S3 credentials and permissions.",
  "storage_unavailable:disk_full": "Try again later. The operator must free disk space on the server.",
  "storage_unavailable:damaged": "Ask the operator to restore it from a backup.",

  "url_blocked:instance": "Use the https URL of a public instance.",
  "url_blocked:webhook": "Use the https URL of a public host, without a user name or password.",
  "url_unreachable:platform": restartConnect,
  "url_unreachable:instance": "Check the instance’s URL, then try again.",
  "url_unreachable:refresh": "Try again in a minute.",
  platform_not_configured: getSettingsHint,
  "platform_not_configured:rejected": getSettingsHint,
  "connect_expired:page": "Start again from the studio’s Platforms page, or ask your assistant for a new link.",
  "connect_expired:credential": "An owner or admin must connect the account again.",
  "connect_denied:user": restartConnect,
  "connect_denied:app": restartConnect,
  "connect_denied:platform": restartConnect,
};
