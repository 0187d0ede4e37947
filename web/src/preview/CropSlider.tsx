import { useRef, useState } from "react";
import type { Asset } from "../api/queries.ts";
import { describePosition, dragWindow, getCropWindow, moveByKey, type CropPosition, type Size } from "./crop-window.ts";

const toPercent = (fraction: number): string => `${fraction * 100}%`;

/** The original image with a frame around the part that is sent. A pointer or the arrow keys move the frame. */
export function CropSlider({
  asset,
  renditionSize,
  position,
  onMove,
}: {
  asset: Asset;
  renditionSize: Size;
  position: CropPosition;
  onMove: (position: CropPosition) => void;
}) {
  const container = useRef<HTMLDivElement>(null);
  const dragStart = useRef<{ clientX: number; clientY: number; position: CropPosition }>(undefined);
  const [imageSize, setImageSize] = useState<Size>();
  const cropWindow = getCropWindow(imageSize ?? renditionSize, renditionSize, position);
  const { axis, left, top, width, height } = cropWindow;

  return (
    <div ref={container} className="relative w-fit max-w-full overflow-hidden rounded-sm bg-black select-none">
      <img
        className="block max-h-60 w-auto max-w-full"
        src={asset.thumbnailUrl ?? asset.url}
        alt=""
        draggable={false}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setImageSize({ width: naturalWidth, height: naturalHeight })
        }
      />
      {imageSize && (
        <div
          role="slider"
          tabIndex={0}
          aria-label={`Crop position of ${asset.filename}`}
          aria-orientation={axis === "x" ? "horizontal" : "vertical"}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(position[axis] * 100)}
          aria-valuetext={describePosition(position, axis)}
          className={`absolute touch-none border border-black/60 shadow-[inset_0_0_0_2px_white,0_0_0_99rem_rgb(0_0_0/0.6)] focus-visible:outline-4 focus-visible:outline-offset-[-6px] ${axis === "x" ? "cursor-ew-resize" : "cursor-ns-resize"}`}
          style={{ left: toPercent(left), top: toPercent(top), width: toPercent(width), height: toPercent(height) }}
          onKeyDown={(event) => {
            const newPosition = moveByKey(position, axis, event.key);
            if (!newPosition || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            onMove(newPosition);
          }}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            dragStart.current = { clientX: event.clientX, clientY: event.clientY, position };
          }}
          onPointerMove={({ clientX, clientY }) => {
            const start = dragStart.current;
            const bounds = container.current?.getBoundingClientRect();
            if (!start || !bounds) return;
            const delta = { x: (clientX - start.clientX) / bounds.width, y: (clientY - start.clientY) / bounds.height };
            onMove(dragWindow(start.position, cropWindow, delta));
          }}
          onPointerUp={() => (dragStart.current = undefined)}
          onPointerCancel={() => (dragStart.current = undefined)}
        />
      )}
    </div>
  );
}
