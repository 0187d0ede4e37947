import { english, type StringOverrides, type Strings } from "./strings.ts";

interface UppyPack {
  default: { strings: Record<string, unknown> };
}

/**
 * Uppy's language packs. The browser loads only the one it needs. There is one pack per language, in the regional variant
 * of our own strings, so that a page does not mix variants.
 */
const uppyPackLoaders: Record<string, () => Promise<UppyPack>> = {
  ar: () => import("@uppy/locales/lib/ar_SA.js"),
  bg: () => import("@uppy/locales/lib/bg_BG.js"),
  ca: () => import("@uppy/locales/lib/ca_ES.js"),
  cs: () => import("@uppy/locales/lib/cs_CZ.js"),
  da: () => import("@uppy/locales/lib/da_DK.js"),
  de: () => import("@uppy/locales/lib/de_DE.js"),
  el: () => import("@uppy/locales/lib/el_GR.js"),
  es: () => import("@uppy/locales/lib/es_ES.js"),
  fa: () => import("@uppy/locales/lib/fa_IR.js"),
  fi: () => import("@uppy/locales/lib/fi_FI.js"),
  fr: () => import("@uppy/locales/lib/fr_FR.js"),
  gl: () => import("@uppy/locales/lib/gl_ES.js"),
  he: () => import("@uppy/locales/lib/he_IL.js"),
  hi: () => import("@uppy/locales/lib/hi_IN.js"),
  hr: () => import("@uppy/locales/lib/hr_HR.js"),
  hu: () => import("@uppy/locales/lib/hu_HU.js"),
  id: () => import("@uppy/locales/lib/id_ID.js"),
  is: () => import("@uppy/locales/lib/is_IS.js"),
  it: () => import("@uppy/locales/lib/it_IT.js"),
  ja: () => import("@uppy/locales/lib/ja_JP.js"),
  ko: () => import("@uppy/locales/lib/ko_KR.js"),
  nb: () => import("@uppy/locales/lib/nb_NO.js"),
  nl: () => import("@uppy/locales/lib/nl_NL.js"),
  nn: () => import("@uppy/locales/lib/nn_NO.js"),
  pl: () => import("@uppy/locales/lib/pl_PL.js"),
  pt: () => import("@uppy/locales/lib/pt_PT.js"),
  ro: () => import("@uppy/locales/lib/ro_RO.js"),
  ru: () => import("@uppy/locales/lib/ru_RU.js"),
  sk: () => import("@uppy/locales/lib/sk_SK.js"),
  sr: () => import("@uppy/locales/lib/sr_RS_Cyrillic.js"),
  sv: () => import("@uppy/locales/lib/sv_SE.js"),
  th: () => import("@uppy/locales/lib/th_TH.js"),
  tr: () => import("@uppy/locales/lib/tr_TR.js"),
  uk: () => import("@uppy/locales/lib/uk_UA.js"),
  vi: () => import("@uppy/locales/lib/vi_VN.js"),
  zh: () => import("@uppy/locales/lib/zh_CN.js"),
};

/** Texts that Uppy's packs lack, and replacements for some of the packs' texts. */
const ownStringLoaders: Record<string, () => Promise<{ strings: StringOverrides }>> = {
  de: () => import("./locales/de.ts"),
  es: () => import("./locales/es.ts"),
  fr: () => import("./locales/fr.ts"),
  it: () => import("./locales/it.ts"),
  ja: () => import("./locales/ja.ts"),
  nl: () => import("./locales/nl.ts"),
  pt: () => import("./locales/pt.ts"),
  zh: () => import("./locales/zh.ts"),
};

export interface Language {
  tag: string;
  direction: "ltr" | "rtl";
  strings: Strings;
}

const rightToLeftLanguages = ["ar", "fa", "he"];

/** Loads the first preferred language that has a pack. English is the fallback, even for single missing strings. */
export async function loadLanguage(preferredLanguages: readonly string[]): Promise<Language> {
  for (const language of preferredLanguages) {
    const tag = language.toLowerCase().split("-", 1)[0] ?? "";
    if (tag === "en") break;
    const loadPack = uppyPackLoaders[tag];
    if (!loadPack) continue;
    try {
      const [uppy, overrides] = await Promise.all([loadPack(), ownStringLoaders[tag]?.()]);
      return {
        tag,
        direction: rightToLeftLanguages.includes(tag) ? "rtl" : "ltr",
        strings: { ...english, ...pickUppyStrings(uppy.default.strings), ...overrides?.strings },
      };
    } catch {
      break; // A failed download must not break the page: fall back to English.
    }
  }
  return { tag: "en", direction: "ltr", strings: english };
}

function pickUppyStrings(strings: Record<string, unknown>): StringOverrides {
  const pickedStrings: Record<string, string> = {};
  for (const key of Object.keys(english)) {
    const isSingular = key === "oneFileUploadedOfTotal";
    const text = strings[isSingular ? "filesUploadedOfTotal" : key];
    // Uppy stores plural forms by index; the first one is the singular, the last one the general plural.
    const form: unknown =
      typeof text === "object" && text !== null ? Object.values<unknown>({ ...text }).at(isSingular ? 0 : -1) : text;
    if (typeof form === "string") pickedStrings[key] = form;
  }
  return pickedStrings;
}
