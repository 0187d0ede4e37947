import type { Asset } from "#domain/assets/model/asset.ts";
import type { AssetFilter } from "#domain/assets/ports.ts";
import type { SearchSource } from "#domain/search/ports.ts";
import { toAsset, type AssetRow } from "./asset-row.ts";
import type { Connection } from "./database.ts";
import { buildAssetText, updateSearchText } from "./search-index.ts";
import { createSearchSource, createSearchPreparer } from "./search-source.ts";

const prepareSearch = createSearchPreparer("assets");

type Filter = Pick<AssetFilter, "unattached" | "kind">;

export const createAssetSearch = (connection: Connection): SearchSource<Asset, Filter> =>
  createSearchSource<AssetRow, Asset, Filter>(
    connection,
    {
      table: "assets",
      columns: ["*"],
      textColumns: ["filename", "alt_text"],
      listConditions: ({ unattached, kind }, bind) => [
        ...(unattached === undefined ? [] : [`t.post_id IS ${unattached ? "" : "NOT "}NULL`]),
        ...(kind === undefined ? [] : [`t.kind = ${bind(kind)}`]),
      ],
      buildText: (row) => buildAssetText(toAsset(row)),
      toItem: toAsset,
    },
    prepareSearch,
  );

/** Updates the search index after an update that returned `row`. */
export async function updateAssetText(connection: Connection, row: AssetRow, haveTagsChanged: boolean): Promise<void> {
  const asset = toAsset(row);
  await updateSearchText(connection, "assets", { ...asset, searchText: buildAssetText(asset) }, row, haveTagsChanged);
}
