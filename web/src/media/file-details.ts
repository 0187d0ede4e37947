import { createContext } from "react";
import type { Asset } from "../api/queries.ts";

/** Lets any part of the post page open the dialog with the details of a file. Undefined on other pages. */
export const FileDetailsContext = createContext<
  { assets: readonly Asset[]; open: (assetId: string) => void } | undefined
>(undefined);
