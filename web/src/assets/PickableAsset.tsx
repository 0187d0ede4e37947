import type { Asset } from "../api/queries.ts";
import { assetTileClasses } from "./AssetGrid.tsx";
import { AssetImage } from "./AssetImage.tsx";

/** A file with a checkbox, for dialogs in which the user chooses files. */
export function PickableAsset({
  asset,
  isSelected,
  note,
  onChange,
}: {
  asset: Asset;
  isSelected: boolean;
  note?: string | undefined;
  onChange: (isSelected: boolean) => void;
}) {
  return (
    <label className={`font-normal ${assetTileClasses}`} htmlFor={`pick-${asset.id}`}>
      <AssetImage asset={asset} />
      <span className="flex min-w-0 items-center gap-2">
        <input
          id={`pick-${asset.id}`}
          className="m-0"
          type="checkbox"
          checked={isSelected}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span className="line-clamp-2 min-w-0 [overflow-wrap:anywhere]" title={asset.filename}>
          {asset.filename}
        </span>
      </span>
      {note !== undefined && <span className="text-sm text-muted">{note}</span>}
    </label>
  );
}
