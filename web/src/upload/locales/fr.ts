import type { StringOverrides } from "../strings.ts";

export const strings: StringOverrides = {
  removeFile: "Retirer",
  chooseFiles: "Choisir des fichiers",
  chooseFolder: "Choisir un dossier",
  intro:
    "Images, vidéos et documents, sans limite de taille. Vous pouvez aussi les coller. Les fichiers sont envoyés aussitôt et ajoutés à cette publication.",
  filesLeft: "Vous pouvez encore ajouter %{smart_count} fichiers (%{limit} par publication).",
  oneFileLeft: "Vous pouvez encore ajouter 1 fichier (%{limit} par publication).",
  noFilesLeft: "Cette publication est complète : elle peut contenir au maximum %{limit} fichiers.",
  waiting: "En attente",
  checking: "Vérification",
  onPost: "Dans la publication",
  libraryIntro:
    "Images, vidéos et documents, sans limite de taille. Vous pouvez aussi les coller. Les fichiers sont envoyés aussitôt et restent dans la bibliothèque jusqu’à ce que vous les ajoutiez à une publication.",
  inLibrary: "Dans la bibliothèque",
  offline: "Vous êtes hors ligne. L’envoi reprendra au retour de la connexion.",
  unreachable: "Le serveur ne répond pas. L’envoi reprendra automatiquement.",
  connectionRestored: "Connexion rétablie.",
  chooseAgain: "Choisissez à nouveau ce fichier pour reprendre l’envoi.",
  allowOrChooseAgain: "Reprenez l’envoi et autorisez le navigateur à lire ce fichier, ou choisissez-le à nouveau.",
  altText: "Texte alternatif",
  altHint: "Décrivez ce fichier",
  saved: "Enregistré",
  notSaved: "Non enregistré",
  phone: "Continuer sur un téléphone",
  phoneHint:
    "Scannez ce code avec l’appareil photo du téléphone. Toute personne disposant du lien peut envoyer des fichiers à cette publication.",
  phoneLocalOnly: "Ce lien ne fonctionne que sur cet ordinateur.",
  allDone: "Tous les fichiers sont dans la publication. Vous pouvez fermer cette page ou en ajouter d’autres.",
  allDoneFull:
    "Tous les fichiers sont dans la publication, qui est maintenant complète. Vous pouvez fermer cette page.",
  libraryAllDone: "Tous les fichiers sont dans la bibliothèque. Vous pouvez en ajouter d’autres.",
  linkExpired: "Ce lien a expiré et n’accepte plus de nouveaux fichiers. Les envois en cours continuent.",
  close: "Fermer",
  cancelConfirmation: "Annuler cet envoi ? La partie déjà envoyée sera supprimée.",
  discardUpload: "Abandonner l’envoi",
  keepUploading: "Continuer l’envoi",
  files: "Fichiers",
  usePhoto: "Utiliser cette photo",
  retakePhoto: "En prendre une autre",
};
