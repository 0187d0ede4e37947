import type { OwnStrings } from "../strings.ts";

export const strings: OwnStrings = {
  chooseFiles: "Scegli i file",
  chooseFolder: "Scegli una cartella",
  intro:
    "Immagini, video e documenti, quanti ne vuoi e di qualsiasi dimensione. Puoi anche incollare. Ogni file parte subito e si aggiunge da solo al post.",
  waiting: "In attesa",
  checking: "Controllo",
  onThePost: "Nel post",
  offline: "Sei offline. Il caricamento riprende da solo quando torna la connessione.",
  unreachable: "Il server non risponde. Il caricamento riprende da solo appena risponde.",
  backAgain: "La connessione è tornata.",
  chooseAgain: "Scegli di nuovo questo file e riprende da dove era.",
  altText: "Testo alternativo",
  altHint: "Che cosa si vede? Per chi non può vederlo.",
  saved: "Salvato",
  notSaved: "Non salvato",
  phone: "Continua su un telefono",
  phoneHint: "Inquadralo con la fotocamera del telefono. Chi ce l’ha può inviare file a questo post.",
  phoneLocal: "Questo indirizzo funziona solo su questo computer.",
  allDone: "Tutti i file sono nel post. Puoi chiudere la pagina o aggiungerne altri.",
  linkOver: "Questo link non accetta più nuovi file. Quelli in viaggio continuano.",
  close: "Chiudi",
  files: "File",
  use: "Usa questa foto",
  again: "Scattane un’altra",
};
