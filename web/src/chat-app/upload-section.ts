import type { RemoteFile } from "../upload/client.ts";
import { RequestError } from "../upload/client.ts";
import { createButton, createElement, setText, setVisible } from "../upload/dom.ts";
import { createUploaderUi } from "../upload/ui.ts";
import { createUploader, type Uploader } from "../upload/uploader.ts";
import { isWebUrl, type Host } from "./host.ts";
import type { ChatLanguage } from "./strings.ts";
import { createToolClients } from "./tool-client.ts";

export interface UploadSectionOptions {
  host: Host;
  language: ChatLanguage;
  uploader: Uploader | undefined;
  /** Returns an upload link's URL; undefined if none can be created. */
  createLink(): Promise<string | undefined>;
}

/** Creates the uploader of a post; undefined if the host can't call tools. */
export function createPostUploader(
  host: Host,
  postId: string,
  getUnsupportedMessage: () => string,
  onUploaded: (file: RemoteFile) => void,
): Uploader | undefined {
  if (!host.canCallTools) return undefined;
  return createUploader({
    onUploaded,
    createClient: createToolClients(host),
    async getUploadLinkToken() {
      try {
        return String((await host.callTool("app_create_upload", { postId })).output["uploadId"]);
      } catch (error) {
        // Some hosts don't support app-only tools.
        const isUnsupported = error instanceof RequestError && error.code === "unsupported";
        throw isUnsupported ? new RequestError(400, { detail: getUnsupportedMessage() }) : error;
      }
    },
  });
}

/** The drop zone, where the host can receive files, and a button that opens the upload page in the browser. */
export function createUploadSection({ host, language, uploader, createLink }: UploadSectionOptions): {
  element: HTMLElement;
  destroy(): void;
} {
  const { strings } = language;
  const root = createElement("div");
  const ui =
    uploader &&
    createUploaderUi(root, {
      uploader,
      language: { tag: language.tag, direction: "ltr", strings: language.uploadStrings },
      accepts: [],
      canUseCamera: false,
      canShowVideos: false,
    });
  const message = createElement("p", { className: "m-0 text-sm empty:hidden", role: "status" });
  const linkField = createElement("input", {
    type: "text",
    readOnly: true,
    hidden: true,
    "aria-label": strings.openUploadPage,
  });
  const openButton = createButton(strings.openUploadPage, () => void openUploadPage(), uploader ? "quiet" : "primary");

  async function openUploadPage(): Promise<void> {
    openButton.disabled = true;
    setText(message, "");
    try {
      const url = await createLink();
      if (url === undefined || !isWebUrl(url)) setText(message, strings.linkFailed);
      else if (!(await host.openLink(url))) {
        setText(message, strings.linkNotOpened);
        linkField.value = url;
        setVisible(linkField, true);
        linkField.select();
      }
    } finally {
      openButton.disabled = false;
    }
  }

  return {
    element: createElement(
      "section",
      { className: "grid gap-3", "aria-label": strings.addFiles },
      ui ? root : undefined,
      createElement(
        "div",
        { className: "flex flex-wrap items-center gap-3" },
        openButton,
        createElement("p", { className: "m-0 text-sm text-muted", textContent: strings.uploadPageHint }),
      ),
      message,
      linkField,
    ),
    destroy: () => ui?.destroy(),
  };
}
