import type { Asset } from "#domain/model/asset.ts";
import type { AssetFilter } from "#domain/ports/assets.ts";
import type { SearchSource } from "#domain/ports/search.ts";
import { assetColumnsSql } from "./asset-row.ts";
import { createPreparer, type Connection } from "./database.ts";
import { buildAssetText, updateSearchText, type SearchState } from "./search-index.ts";
import { createSearchSource } from "./search-source.ts";

const prepareSearch = createPreparer("search_assets");

type Filter = Pick<AssetFilter, "unattached" | "kind">;

export const createAssetSearch = (connection: Connection): SearchSource<Asset, Filter> =>
  createSearchSource<Asset, Filter>(
    connection,
    {
      table: "assets",
      columns: assetColumnsSql,
      textColumns: ["filename", "alt_text"],
      listConditions: ({ unattached, kind }, bind) => [
        ...(unattached === undefined ? [] : [`t.post_id IS ${unattached ? "" : "NOT "}NULL`]),
        ...(kind === undefined ? [] : [`t.kind = ${bind(kind)}`]),
      ],
      buildText: buildAssetText,
    },
    prepareSearch,
  );

/** Updates the search index after an update that returned `row`. */
export async function updateAssetText(
  connection: Connection,
  row: Asset & SearchState,
  haveTagsChanged: boolean,
): Promise<void> {
  await updateSearchText(connection, "assets", { ...row, searchText: buildAssetText(row) }, row, haveTagsChanged);
}
