import { getPlatformName } from "../platforms/platform-name.ts";
import { getDisplay } from "../preview/platform-displays.ts";
import { splitText } from "../preview/split-text.ts";
import { createElement } from "../upload/dom.ts";
import { interpolate } from "../upload/strings.ts";
import type { Account } from "./client.ts";
import type { Strings } from "./strings.ts";

interface Language {
  language: string;
  strings: Strings;
}

/** The post as one account will receive it, in a frame like that of the web app's preview. */
export function createAccountCard(account: Account, { language, strings }: Language): HTMLElement {
  const { platform, account: name, title, media, scheduledFor } = account;
  const { isMediaFirst, showsTitle } = getDisplay(platform);
  const files =
    media.length === 0
      ? []
      : [createElement("div", { className: "grid gap-2" }, ...media.map((file) => createFile(file, strings)))];
  const text = createText(account.text, platform);
  const heading = name === "" ? strings.thePost : `${name} · ${getPlatformName(platform)}`;
  return createElement(
    "div",
    {
      role: "group",
      className: "grid max-w-[36rem] content-start gap-3 rounded-lg border border-rule bg-raised p-4",
      "aria-label": heading,
    },
    createElement("h3", { className: "m-0 text-base font-semibold [overflow-wrap:anywhere]", textContent: heading }),
    createElement("p", {
      className: "m-0 text-sm text-muted",
      textContent:
        scheduledFor === null
          ? strings.noTime
          : interpolate(strings.plannedFor, {
              time: new Date(scheduledFor).toLocaleString(language, { dateStyle: "full", timeStyle: "short" }),
            }),
    }),
    title !== null && (showsTitle || name === "" || title !== "")
      ? createElement("p", { className: "m-0 font-semibold [overflow-wrap:anywhere]", dir: "auto", textContent: title })
      : undefined,
    ...(isMediaFirst ? [...files, text] : [text, ...files]),
    ...account.followUps.map((followUp, i) =>
      createElement(
        "div",
        { className: "grid gap-1 border-l-2 border-rule pl-3" },
        createElement("p", {
          className: "m-0 text-sm text-muted",
          textContent: interpolate(strings.reply, { number: i + 1 }),
        }),
        createText(followUp, platform),
      ),
    ),
    account.options
      ? createElement("p", {
          className: "m-0 text-sm whitespace-pre-wrap",
          textContent: describeOptions(account.options),
        })
      : undefined,
    createChanges(account, strings),
  );
}

function createText(text: string, platform: string): HTMLElement {
  const parts = splitText(text, getDisplay(platform).features);
  return createElement(
    "p",
    { className: "m-0 whitespace-pre-wrap [overflow-wrap:anywhere]", dir: "auto" },
    ...parts.map((part) =>
      part.kind === "text" ? part.text : createElement("span", { className: "text-accent", textContent: part.text }),
    ),
  );
}

function createFile(file: Account["media"][number], strings: Strings): HTMLElement {
  const { kind, filename, altText, url, thumbnailUrl, width, height } = file;
  const caption = createElement("figcaption", {
    className: "mt-1 text-sm text-muted [overflow-wrap:anywhere]",
    textContent: altText
      ? interpolate(strings.altText, { text: altText })
      : interpolate(strings.noAltText, { filename }),
  });
  return createElement("figure", { className: "m-0" }, createMedia(), caption);

  function createMedia(): HTMLElement {
    if (kind === "video")
      return createElement("video", {
        src: url,
        controls: true,
        preload: "metadata",
        className: "max-h-[70vh] w-full rounded-md bg-sunken",
        "aria-label": altText ?? filename,
      });
    const link = createElement("a", { href: url, target: "_blank", rel: "noreferrer" });
    if (kind !== "image") {
      link.textContent = filename;
      return link;
    }
    const image = createElement("img", {
      src: url,
      alt: altText ?? "",
      width: width ?? undefined,
      height: height ?? undefined,
      loading: "lazy",
      className: "h-auto max-h-[70vh] w-full rounded-md object-contain",
    });
    // An image that the account can't receive as it is.
    image.addEventListener("error", () => thumbnailUrl !== undefined && (image.src = thumbnailUrl), { once: true });
    link.setAttribute("aria-label", interpolate(strings.openFull, { filename }));
    link.append(image);
    return link;
  }
}

const changeClasses = { same: "", added: "bg-success-wash underline", removed: "bg-danger-wash line-through" } as const;

const describeOptions = (options: Account["options"]): string =>
  Object.entries(options ?? {})
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join("\n");

/** What changed since the guest decided, or since the page was loaded; undefined if that is unknown. */
function createChanges(account: Account, strings: Strings): HTMLElement | undefined {
  const { before, title, text, options, followUps, media } = account;
  if (!before) return undefined;
  const describe = (files: readonly { filename: string; altText: string | null }[]): string =>
    files.map(({ filename, altText }) => `${filename}${altText ? ` (${altText})` : ""}`).join("\n");
  const pairs = [
    [strings.title, before.title ?? "", title ?? ""],
    [strings.text, before.text, text],
    [strings.replies, before.followUps.join("\n"), followUps.join("\n")],
    [strings.options, describeOptions(before.options), describeOptions(options)],
    [strings.files, describe(before.media), describe(media)],
  ] as const;
  const changes = createElement("div", {
    className: "grid gap-2 border-t border-rule pt-3 text-sm",
    "aria-label": strings.whatChanged,
    role: "group",
  });
  // Loaded only if there is something to compare.
  void import("../history/compare-text.ts").then(({ compareText, compareLines }) => {
    const changedPairs = pairs.filter(([, earlier, current]) => earlier !== current);
    changes.append(createElement("p", { className: "m-0 font-semibold", textContent: strings.whatChanged }));
    for (const [label, earlier, current] of changedPairs) {
      const parts = label === strings.files ? compareLines(earlier, current) : compareText(earlier, current);
      changes.append(
        createElement(
          "p",
          { className: "m-0 whitespace-pre-wrap [overflow-wrap:anywhere]", dir: "auto" },
          createElement("span", { className: "text-muted", textContent: `${label}: ` }),
          ...parts.flatMap(({ kind, text: part }) => {
            const tag = ({ same: "span", added: "ins", removed: "del" } as const)[kind];
            return [
              createElement(tag, { className: changeClasses[kind], textContent: part }),
              label === strings.files ? " " : "",
            ];
          }),
        ),
      );
    }
    if (changedPairs.length === 0)
      changes.append(createElement("p", { className: "m-0 text-muted", textContent: strings.otherChange }));
  });
  return changes;
}
