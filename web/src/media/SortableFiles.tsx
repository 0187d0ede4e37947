import {
  closestCenter,
  DndContext,
  KeyboardSensor,
  MouseSensor,
  useSensor,
  useSensors,
  type UniqueIdentifier,
} from "@dnd-kit/core";
import {
  arrayMove,
  rectSortingStrategy,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
} from "@dnd-kit/sortable";
import { GripVertical } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import type { Asset } from "../api/queries.ts";
import { IconButton } from "../ui/IconButton.tsx";
import type { UploadItem } from "../upload/upload-task.ts";
import type { ArrangedFiles } from "./arrange-files.ts";
import { FileTouchSensor, handleProps } from "./file-touch-sensor.ts";
import { overlayButtonClasses, revealClasses } from "./tile-classes.ts";

export type PostFile = ArrangedFiles<Asset, UploadItem>["files"][number];

const instructions =
  "To move a file, press Space, move it with the arrow keys, and press Space again. Press Escape to cancel.";

/** Files that can be dragged by mouse, by touch (at the handle, or after a long press) and by keyboard. */
export function SortableFiles({
  files,
  isPaused,
  onReorder,
  children,
}: {
  files: readonly PostFile[];
  /** Whether no file can be moved now. */
  isPaused: boolean;
  /** Called with the ids of all files in the new order. */
  onReorder: (order: string[]) => void;
  children: (file: PostFile, dragHandle: ReactNode) => ReactNode;
}) {
  const ids = files.map(({ asset }) => asset.id);
  const getName = (id: UniqueIdentifier) => files.find(({ asset }) => asset.id === id)?.asset.filename ?? "The file";
  const describePosition = (id: UniqueIdentifier) => `position ${ids.indexOf(String(id)) + 1} of ${files.length}`;
  // The file whose position the dragged file would take, so that only changes are announced.
  const lastOverId = useRef<UniqueIdentifier>(undefined);
  const [canAutoScroll, setCanAutoScroll] = useState(true);
  const sensors = useSensors(
    // A click must not start a drag, and a swipe must scroll.
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(FileTouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      autoScroll={canAutoScroll}
      accessibility={{
        announcements: {
          onDragStart: ({ active }) => {
            lastOverId.current = active.id;
            return `Picked up ${getName(active.id)}, ${describePosition(active.id)}.`;
          },
          onDragOver: ({ active, over }) => {
            if (!over || over.id === lastOverId.current) return undefined;
            lastOverId.current = over.id;
            return `${getName(active.id)} is at ${describePosition(over.id)}.`;
          },
          onDragEnd: ({ active, over }) =>
            over
              ? `Moved ${getName(active.id)} to ${describePosition(over.id)}.`
              : `${getName(active.id)} was not moved.`,
          onDragCancel: ({ active }) => `${getName(active.id)} was not moved.`,
        },
        container: document.body, // the default is inside the list, which may contain only list items
        screenReaderInstructions: { draggable: instructions },
      }}
      onDragStart={() => setCanAutoScroll(true)}
      // Also called while the page scrolls.
      onDragMove={({ active }) => setCanAutoScroll(hasFilesBeyondEdge(active.id, active.rect.current.translated))}
      onDragEnd={({ active, over }) => {
        if (!over || active.id === over.id) return;
        showMovedFile(active.id);
        onReorder(arrayMove(ids, ids.indexOf(String(active.id)), ids.indexOf(String(over.id))));
      }}
    >
      <SortableContext items={ids} strategy={rectSortingStrategy}>
        {files.map((file) => (
          <SortableFile key={file.asset.id} file={file} isMovable={files.length > 1 && !isPaused}>
            {(dragHandle) => children(file, dragHandle)}
          </SortableFile>
        ))}
      </SortableContext>
    </DndContext>
  );
}

function SortableFile({
  file,
  isMovable,
  children,
}: {
  file: PostFile;
  isMovable: boolean;
  children: (dragHandle: ReactNode) => ReactNode;
}) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: file.asset.id,
    disabled: !isMovable,
  });
  return (
    <li
      ref={setNodeRef}
      data-file-id={file.asset.id}
      // Scrolled into view, it stays clear of the bars that cover the page.
      className={`min-w-0 scroll-my-32 touch-manipulation ${isDragging ? "relative z-10 rounded-md bg-paper opacity-90 shadow-overlay" : ""}`}
      style={{
        transform: transform ? `translate3d(${transform.x}px, ${transform.y}px, 0)` : undefined,
        transition,
      }}
      {...listeners}
    >
      {children(
        isMovable && (
          <IconButton
            ref={setActivatorNodeRef}
            icon={GripVertical}
            label={`Move ${file.asset.filename}`}
            className={`absolute top-1 left-1 cursor-grab touch-none pointer-coarse:top-0 pointer-coarse:left-0 ${overlayButtonClasses} ${revealClasses}`}
            aria-describedby={attributes["aria-describedby"]}
            aria-roledescription="draggable file"
            {...handleProps}
          />
        ),
      )}
    </li>
  );
}

const findTile = (id: UniqueIdentifier): HTMLElement | null => document.querySelector(`[data-file-id="${id}"]`);

/** Scrolls to a file once the files are in their new order. */
export function showMovedFile(id: UniqueIdentifier): void {
  setTimeout(() => findTile(id)?.scrollIntoView({ block: "nearest" }));
}

/** The parts of the window, at its top and bottom, in which a dragged file scrolls the page: dnd-kit's default. */
const scrollZone = 0.2;

/** Whether the list continues beyond the edge of the window that the dragged file is near. */
function hasFilesBeyondEdge(id: UniqueIdentifier, dragged: { top: number; height: number } | null): boolean {
  const list = findTile(id)?.parentElement?.getBoundingClientRect();
  if (!list || !dragged) return true;
  const isInUpperHalf = dragged.top + dragged.height / 2 < innerHeight / 2;
  return isInUpperHalf ? list.top < innerHeight * scrollZone : list.bottom > innerHeight * (1 - scrollZone);
}
