import { createContext } from "react";
import type { Asset } from "../api/queries.ts";

/** Lets the sections of the post page open the details of a file. Undefined elsewhere, such as in its dialogs. */
export const FileDetailsContext = createContext<
  { assets: readonly Asset[]; open: (assetId: string) => void } | undefined
>(undefined);
