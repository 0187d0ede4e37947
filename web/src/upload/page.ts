import { mountUploader } from "./mount.ts";

/** The upload page. Its address is the key: from here on it travels in a header only. */
const root = document.querySelector<HTMLElement>("#uploader");
const token = location.pathname.split("/").at(-1) ?? "";
if (root) mountUploader(root, { createToken: async () => token, restoreToken: token, phoneUrl: location.href });
