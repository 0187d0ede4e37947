import type { StringOverrides } from "../strings.ts";

export const strings: StringOverrides = {
  removeFile: "Rimuovi",
  chooseFiles: "Scegli i file",
  chooseFolder: "Scegli una cartella",
  intro:
    "Immagini, video e documenti di qualsiasi dimensione. Puoi anche incollare i file. I file vengono caricati subito e aggiunti a questo post.",
  waiting: "In attesa",
  checking: "Controllo",
  onPost: "Nel post",
  libraryIntro:
    "Immagini, video e documenti di qualsiasi dimensione. Puoi anche incollare i file. I file vengono caricati subito e restano nella libreria finché non li aggiungi a un post.",
  inLibrary: "Nella libreria",
  offline: "Sei offline. Il caricamento riprenderà quando torni online.",
  unreachable: "Il server non risponde. Il caricamento riprenderà automaticamente.",
  connectionRestored: "Connessione ripristinata.",
  chooseAgain: "Scegli di nuovo questo file per riprendere il caricamento.",
  allowOrChooseAgain: "Riprendi il caricamento e consenti al browser di leggere questo file, oppure sceglilo di nuovo.",
  altText: "Testo alternativo",
  altHint: "Descrivi questo file",
  saved: "Salvato",
  notSaved: "Non salvato",
  phone: "Continua su un telefono",
  phoneHint:
    "Inquadra il codice con la fotocamera del telefono. Chiunque abbia il link può caricare file su questo post.",
  phoneLocalOnly: "Questo link funziona solo su questo computer.",
  allDone: "Tutti i file sono nel post. Puoi chiudere la pagina o aggiungerne altri.",
  libraryAllDone: "Tutti i file sono nella libreria. Puoi aggiungerne altri.",
  linkExpired: "Questo link è scaduto e non accetta nuovi file. I caricamenti in corso continuano.",
  close: "Chiudi",
  cancelConfirmation: "Annullare questo caricamento? La parte già caricata verrà eliminata.",
  discardUpload: "Elimina il caricamento",
  keepUploading: "Continua a caricare",
  files: "File",
  usePhoto: "Usa questa foto",
  retakePhoto: "Scattane un’altra",
};
