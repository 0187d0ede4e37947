import { mountUploader } from "./mount.ts";

/** Entry point of the upload page. The last path segment is the token; requests carry it in a header only. */
const root = document.querySelector<HTMLElement>("#uploader");
const token = location.pathname.split("/").at(-1) ?? "";
if (root) mountUploader(root, { getUploadLinkToken: async () => token, previousToken: token, phoneUrl: location.href });
