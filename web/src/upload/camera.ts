import { openDialog } from "./dialog.ts";
import { createButton, createElement } from "./dom.ts";
import type { Strings } from "./strings.ts";

/** Takes a photo with the computer's camera. Phones use their own camera app, through a file input. */
export async function takePhoto(strings: Strings, onCapture: (file: File) => void): Promise<void> {
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 3840 }, height: { ideal: 2160 } } });
  } catch {
    openDialog({
      title: strings.takePicture,
      content: [createElement("p", { textContent: strings.noCameraTitle })],
      closeLabel: strings.close,
    });
    return;
  }
  const viewClasses = "my-4 block w-full bg-black";
  const video = createElement("video", { autoplay: true, muted: true, playsInline: true, className: viewClasses });
  video.srcObject = stream;
  const canvas = createElement("canvas", { className: viewClasses, hidden: true });

  function capture(): void {
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    canvas.getContext("2d")?.drawImage(video, 0, 0);
    showCaptured(true);
  }

  function accept(): void {
    canvas.toBlob(
      (blob) => {
        const name = `photo-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.jpg`;
        if (blob) onCapture(new File([blob], name, { type: "image/jpeg" }));
        dialog.close();
      },
      "image/jpeg",
      0.92,
    );
  }

  const captureButton = createButton(strings.takePicture, capture, "primary");
  // Before the first frame, the canvas would be empty and the photo lost.
  captureButton.disabled = true;
  video.addEventListener(
    "loadeddata",
    () => {
      captureButton.disabled = false;
      captureButton.focus();
    },
    { once: true },
  );
  const acceptButton = createButton(strings.usePhoto, accept, "primary");
  const retakeButton = createButton(strings.retakePhoto, () => showCaptured(false), "secondary");

  function showCaptured(isCaptured: boolean): void {
    for (const element of [canvas, acceptButton, retakeButton]) element.hidden = !isCaptured;
    for (const element of [video, captureButton]) element.hidden = isCaptured;
    (isCaptured ? acceptButton : captureButton).focus();
  }

  for (const button of [acceptButton, retakeButton]) button.hidden = true;
  const dialog = openDialog({
    title: strings.takePicture,
    content: [video, canvas],
    actions: [retakeButton, captureButton, acceptButton],
    closeLabel: strings.close,
    onClose: () => stream.getTracks().forEach((track) => track.stop()),
  });
}
